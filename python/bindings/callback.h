#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Python functions as operators of a graph.
void bind_callback(nb::module_& m);

}  // namespace penstock::bindings
