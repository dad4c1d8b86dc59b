#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Graph, the schemas, and how Python values become arguments.
void bind_graph(nb::module_& m);

}  // namespace penstock::bindings
