// In the place of src/cuda/support/types.cuh.
#pragma once

#include "core/convert.h"

namespace penstock::cuda {

template <class T>
float to_float(T x) {
  return static_cast<float>(x);
}
template <class To>
To convert(float x) {
  return convert_sat<To>(x);
}

}  // namespace penstock::cuda
