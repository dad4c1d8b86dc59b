#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// The pipeline and what it hands out. Everything that may block does so with the GIL released.
void bind_pipeline(nb::module_& m);

}  // namespace penstock::bindings
