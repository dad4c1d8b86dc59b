// The table that the build writes from the folders of operators and readers (cmake/layers.cmake).
#pragma once

#include <span>

#include "schema/registry.h"

namespace penstock {

struct Registration {
  const char* group;  ///< the folder below src/ops, or "readers"
  void (*add)(Registry&);
};

std::span<const Registration> registrations();

}  // namespace penstock
