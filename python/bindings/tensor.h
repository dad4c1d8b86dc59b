// The classes TensorCPU and TensorListCPU.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_tensor(nb::module_& m);
void bind_tensor_list(nb::module_& m);

/// Address that a ctypes pointer, or a plain integer, stands for.
void* address_of(nb::handle pointer);

}  // namespace penstock::bindings
