#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Turns Penstock's errors into Python's, as <penstock/error.h> says. Their classes become members of `m`.
void bind_errors(nb::module_& m);

}  // namespace penstock::bindings
