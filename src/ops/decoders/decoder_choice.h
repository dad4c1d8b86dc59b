// Which decoder takes a JPEG file in a pipeline that has a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace penstock {

enum class DecoderChoice {
  kWorker,  ///< the CPU
  kCuda,    ///< our own decoder
  kEngine,  ///< the GPU's JPEG engine
};

/// @throws ArgumentError for a name other than auto, hardware, cuda and cpu, and for a share that is none
void check_taker_args(const std::string& decoder, float share);
/// The decoder that takes this file. Nothing but the file and the arguments decides, in particular not which decoder is
/// idle: a damaged file's pixels, and whether it is found to be damaged, differ from decoder to decoder.
/// @param share of the files that the engine gets where the choice is ours
DecoderChoice choose_decoder(std::span<const uint8_t> file, const std::string& decoder, float share);

}  // namespace penstock
