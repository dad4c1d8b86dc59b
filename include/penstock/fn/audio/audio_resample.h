// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of audio_resample().
struct AudioResampleArgs {
  /// Type of the output, by default that of the input. Integers fill their range: 1.0 is their largest number, -1.0 the
  /// 0 of unsigned ones.
  Constant<DType> dtype = {};
  /// Samples per second of the input; any unit goes that `out_rate` has, too.
  Arg<double> in_rate = {};
  /// Number of samples of the output.
  Arg<int64_t> out_length = {};
  /// Samples per second of the output.
  Arg<double> out_rate = {};
  /// From 0 (3 lobes of the sinc) by way of 50 (16 lobes) to 100 (64 lobes). Default: `50.0`.
  Constant<double> quality = {};
  /// Samples of the output for each of the input.
  Arg<double> scale = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Sound at another rate, by a sinc with a window of Hann. Give `scale`, `out_length`, or both rates. As in DALI,
/// sounds above half of a lower rate are not filtered out.
/// @param sound  Samples, or samples x channels; floating types or integers of up to 32 bits.
/// @return Tensor of the same axes: ceil(samples * out_rate / in_rate) samples.
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
