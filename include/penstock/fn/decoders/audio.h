// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct AudioArgs {
  Constant<bool> downmix = {};
  Constant<DType> dtype = {};
  Constant<double> quality = {};
  Arg<double> sample_rate = {};
  CommonArgs common = {};
};
/// Decodes sound files with libsndfile: WAV, FLAC, Ogg with Vorbis or Opus, and MP3 from its version 1.1 on (`penstock
/// doctor` tells which is there).
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
