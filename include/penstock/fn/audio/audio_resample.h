// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct AudioResampleArgs {
  Constant<DType> dtype = {};
  Arg<double> in_rate = {};
  Arg<int64_t> out_length = {};
  Arg<double> out_rate = {};
  Constant<double> quality = {};
  Arg<double> scale = {};
  CommonArgs common = {};
};
/// Sound at another rate, by a sinc with a window of Hann. Give `scale`, `out_length`, or both rates. As in DALI,
/// sounds above half of a lower rate are not filtered out.
inline Node audio_resample(Graph& graph, Node sound, const AudioResampleArgs& args = {}) {
  return Call("audio_resample", {sound}, args.common)
      .arg("dtype", args.dtype)
      .arg("in_rate", args.in_rate)
      .arg("out_length", args.out_length)
      .arg("out_rate", args.out_rate)
      .arg("quality", args.quality)
      .arg("scale", args.scale)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
