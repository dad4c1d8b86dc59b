// The classes TensorCPU and TensorListCPU.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include <penstock/tensor.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_tensor(nb::module_& m);
void bind_tensor_list(nb::module_& m);

/// The dict of `__array_interface__`. @throws AttributeError for types that NumPy does not have
nb::dict interface_of(const TensorView& view);
std::vector<int64_t> extents_of(const TensorView& view);
/// One tuple of extents per sample.
nb::list shapes_of(const TensorList& list);
/// File or key of each sample.
nb::list sources_of(const TensorList& list);

/// Address that a ctypes pointer, or a plain integer, stands for.
void* address_of(nb::handle pointer);

}  // namespace penstock::bindings
