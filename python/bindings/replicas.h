// Kernels that `penstock.parallel` launches into streams, and graphs under capture, of PyTorch.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

void bind_replicas(nanobind::module_& m);

}  // namespace penstock::bindings
