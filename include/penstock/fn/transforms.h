// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/transforms/combine.h>
#include <penstock/fn/transforms/crop.h>
#include <penstock/fn/transforms/rotation.h>
#include <penstock/fn/transforms/scale.h>
#include <penstock/fn/transforms/shear.h>
#include <penstock/fn/transforms/translation.h>
