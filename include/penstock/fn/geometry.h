// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/geometry/rotate.h>
#include <penstock/fn/geometry/warp_affine.h>
