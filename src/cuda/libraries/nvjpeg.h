// The GPU's JPEG engine (NVJPG), which programs reach through nvJPEG alone.
#pragma once

#include <memory>

#include "device/jpeg_engine.h"

namespace penstock::cuda {

/// @throws std::runtime_error with the reason where the GPU has no engine, or where no nvJPEG is installed
std::unique_ptr<device::JpegEngine> open_nvjpeg_engine(int gpu);

}  // namespace penstock::cuda
