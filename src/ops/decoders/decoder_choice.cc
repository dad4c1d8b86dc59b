#include "ops/decoders/decoder_choice.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/check.h"
#include "core/random.h"

namespace penstock {
namespace {

// Bytes. Describing a file for the GPU costs a worker 10 us and more; in that time it decodes such a file itself.
constexpr size_t kTiny = 2048;

/// Uniform in [0, 1), of the file's length and some of its bytes: from the middle, where files differ most.
double draw_for(std::span<const uint8_t> file) {
  std::array<uint64_t, 4> some{};
  const size_t taken = std::min(file.size(), sizeof(some));
  std::memcpy(some.data(), file.data() + (file.size() - taken) / 2, taken);
  uint64_t hash = file.size();
  for (uint64_t word : some) hash = mix64(hash, word);
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

}  // namespace

void check_taker_args(const std::string& decoder, float share) {
  static constexpr std::array kNames = {"auto", "hardware", "cuda", "cpu"};
  PENSTOCK_CHECK(std::ranges::find(kNames, decoder) != kNames.end(), ArgumentError,
                 "unknown decoder \"{}\"; use \"auto\", \"hardware\", \"cuda\" or \"cpu\"", decoder);
  PENSTOCK_CHECK(share >= 0 && share <= 1, ArgumentError,
                 "hw_decoder_load is a share of the pictures, from 0 to 1; got {}", share);
}

DecoderChoice choose_decoder(std::span<const uint8_t> file, const std::string& decoder, float share) {
  if (decoder == "cpu") return DecoderChoice::kWorker;
  if (decoder == "hardware") return DecoderChoice::kEngine;
  if (decoder == "auto" && file.size() <= kTiny) return DecoderChoice::kWorker;
  const bool drawn = decoder == "auto" && share > 0 && draw_for(file) < double{share};
  return drawn ? DecoderChoice::kEngine : DecoderChoice::kCuda;
}

}  // namespace penstock
