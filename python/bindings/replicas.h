// What `penstock.parallel` takes from the engine: how rows are split, and kernels that it launches into streams, and
// graphs under capture, of PyTorch.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

void bind_replicas(nanobind::module_& m);

}  // namespace penstock::bindings
