// Batches for JAX's programs without arguments.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_jax_mailbox(nb::module_& m);

}  // namespace penstock::bindings
