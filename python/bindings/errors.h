#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Turns Penstock's errors into Python's, as <penstock/error.h> says.
void bind_errors();

}  // namespace penstock::bindings
