// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

/// Arguments of audio().
struct AudioArgs {
  /// Give the mean of all channels. Default: `false`.
  Constant<bool> downmix = {};
  /// FLOAT, INT16 or INT32. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// Of resampling, from 0 (3 lobes of the sinc) to 100 (64 lobes). Default: `50.0`.
  Constant<double> quality = {};
  /// Rate that the sound is resampled to, in Hz; 0: that of the file. Default: `0.0`.
  Arg<double> sample_rate = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Decodes sound files with libsndfile: WAV, FLAC, Ogg with Vorbis or Opus, and MP3 from its version 1.1 on (`penstock
/// doctor` tells which is there).
/// @param encoded  The bytes of the file: uint8, one dimension.
/// @return in this order:
/// - `samples`: (samples, channels), with `downmix` (samples); numbers in [-1, 1], or integers of full range.
/// - `rate`: Float scalar: samples per second, in Hz.
inline std::array<Node, 2> audio(Graph& graph, Node encoded, const AudioArgs& args = {}) {
  return Call("decoders.audio", {encoded}, args.common)
      .arg("downmix", args.downmix)
      .arg("dtype", args.dtype)
      .arg("quality", args.quality)
      .arg("sample_rate", args.sample_rate)
      .add<2>(graph);
}

}  // namespace decoders

}  // namespace penstock::fn
