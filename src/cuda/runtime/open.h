// Opening a GPU.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace penstock::cuda {

std::unique_ptr<device::Runtime> open_runtime(int gpu);

}  // namespace penstock::cuda
