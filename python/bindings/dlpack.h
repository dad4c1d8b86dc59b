// Tensors out to other libraries through DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include <penstock/tensor.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// A capsule that shares the tensor's memory, wherever it is.
nb::object make_capsule(const Tensor& tensor, std::optional<std::pair<int, int>> max_version, bool is_copy = false);

/// A capsule that shares a host tensor's memory (or a copy's, with copy=true). Legacy "dltensor" unless `max_version`
/// is at least (1, 0), since JAX asks for nothing and takes nothing newer. @throws BufferError for another device or a
/// stream.
nb::object to_capsule(const Tensor& tensor, nb::handle stream, std::optional<std::pair<int, int>> max_version,
                      std::optional<std::pair<int, int>> dl_device, std::optional<bool> copy);

}  // namespace penstock::bindings
