// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/noise/gaussian.h>
#include <penstock/fn/noise/salt_and_pepper.h>
#include <penstock/fn/noise/shot.h>
