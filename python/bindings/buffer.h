#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

/// Type slots that give TensorCPU Python's buffer protocol.
PyType_Slot* buffer_slots();

}  // namespace penstock::bindings
