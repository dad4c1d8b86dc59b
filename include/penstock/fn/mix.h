// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/mix/cutmix.h>
#include <penstock/fn/mix/mixup.h>
