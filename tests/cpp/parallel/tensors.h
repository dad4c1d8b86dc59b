// Tensors of host memory for tests, with what these say all the time.
#pragma once

#include <initializer_list>
#include <numeric>
#include <vector>

#include <penstock/parallel.h>
#include <penstock/tensor.h>

#include "core/host_pool.h"

namespace penstock::parallel {

inline const DeviceId kHost = DeviceId::parse("cpu");

template <class T>
Tensor tensor_of(const Shape& shape, const std::vector<T>& values) {
  const TensorDesc desc{.dtype = dtype_of<T>, .shape = shape};
  Tensor tensor{.buffer = HostPool::process()->allocate(desc.nbytes())};
  tensor.view = {desc, tensor.buffer.data};
  std::copy(values.begin(), values.end(), tensor.view.as<T>());
  return tensor;
}

/// 0, 1, 2, ...
template <class T = float>
Tensor counting(const Shape& shape, int first = 0) {
  std::vector<T> values(static_cast<size_t>(shape.volume()));
  for (T& value : values) value = static_cast<T>(static_cast<float>(first++));
  return tensor_of(shape, values);
}

template <class T = float>
std::vector<T> values_of(const Tensor& tensor) {
  return {tensor.view.as<T>(), tensor.view.as<T>() + tensor.view.shape.volume()};
}

}  // namespace penstock::parallel
