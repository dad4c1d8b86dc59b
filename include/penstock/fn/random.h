// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/random/beta.h>
#include <penstock/fn/random/choice.h>
#include <penstock/fn/random/coin_flip.h>
#include <penstock/fn/random/normal.h>
#include <penstock/fn/random/uniform.h>
