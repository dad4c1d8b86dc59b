// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/filters/filter.h>
#include <penstock/fn/filters/gaussian_blur.h>
#include <penstock/fn/filters/laplacian.h>
