#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Memory that batches share: what they hold, limits.
void bind_memory(nb::module_& m);

}  // namespace penstock::bindings
