// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/geometry/experimental.remap.h>
#include <penstock/fn/geometry/experimental.warp_perspective.h>
#include <penstock/fn/geometry/jitter.h>
#include <penstock/fn/geometry/rotate.h>
#include <penstock/fn/geometry/sphere.h>
#include <penstock/fn/geometry/warp_affine.h>
#include <penstock/fn/geometry/water.h>
