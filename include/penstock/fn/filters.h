// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/filters/experimental.dilate.h>
#include <penstock/fn/filters/experimental.erode.h>
#include <penstock/fn/filters/experimental.median_blur.h>
#include <penstock/fn/filters/filter.h>
#include <penstock/fn/filters/gaussian_blur.h>
#include <penstock/fn/filters/laplacian.h>
