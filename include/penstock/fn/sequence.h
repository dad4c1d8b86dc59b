// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/sequence/element_extract.h>
#include <penstock/fn/sequence/per_frame.h>
#include <penstock/fn/sequence/sequence_rearrange.h>
#include <penstock/fn/sequence/tensor_resize.h>
