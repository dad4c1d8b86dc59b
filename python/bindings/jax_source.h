// Batches for compiled JAX programs.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_jax_source(nb::module_& m);

}  // namespace penstock::bindings
