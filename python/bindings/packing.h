#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Functions that write Caffe2 databases.
void bind_packing(nb::module_& m);

}  // namespace penstock::bindings
