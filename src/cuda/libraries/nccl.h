// NCCL, opened at run time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "device/collectives.h"

namespace penstock::cuda {

/// What device::open_collectives promises.
std::unique_ptr<device::Collectives> open_nccl(std::span<const int> gpus, const std::string& library);

}  // namespace penstock::cuda
