// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/tensor/batch_permutation.h>
#include <penstock/fn/tensor/cast.h>
#include <penstock/fn/tensor/cast_like.h>
#include <penstock/fn/tensor/cat.h>
#include <penstock/fn/tensor/constant.h>
#include <penstock/fn/tensor/copy.h>
#include <penstock/fn/tensor/expand_dims.h>
#include <penstock/fn/tensor/full.h>
#include <penstock/fn/tensor/full_like.h>
#include <penstock/fn/tensor/get_property.h>
#include <penstock/fn/tensor/one_hot.h>
#include <penstock/fn/tensor/ones.h>
#include <penstock/fn/tensor/ones_like.h>
#include <penstock/fn/tensor/pad.h>
#include <penstock/fn/tensor/permute_batch.h>
#include <penstock/fn/tensor/reinterpret.h>
#include <penstock/fn/tensor/reshape.h>
#include <penstock/fn/tensor/shapes.h>
#include <penstock/fn/tensor/squeeze.h>
#include <penstock/fn/tensor/stack.h>
#include <penstock/fn/tensor/transpose.h>
#include <penstock/fn/tensor/zeros.h>
#include <penstock/fn/tensor/zeros_like.h>
