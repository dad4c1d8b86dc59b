// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/reductions/max.h>
#include <penstock/fn/reductions/mean.h>
#include <penstock/fn/reductions/mean_square.h>
#include <penstock/fn/reductions/min.h>
#include <penstock/fn/reductions/rms.h>
#include <penstock/fn/reductions/std_dev.h>
#include <penstock/fn/reductions/sum.h>
#include <penstock/fn/reductions/variance.h>
