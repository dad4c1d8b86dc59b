// Which of a batch's outputs JAX's programs take. Needs none of XLA's headers.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_jax_outputs(nb::module_& m);

}  // namespace penstock::bindings
