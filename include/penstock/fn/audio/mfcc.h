// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of mfcc().
struct MfccArgs {
  /// Number of the axis that is transformed; negative ones count from the end. Default: `0`.
  Constant<int64_t> axis = {};
  /// Kind of cosine transform, 1 to 4. Default: `2`.
  Constant<int64_t> dct_type = {};
  /// Above 0: coefficient k is multiplied by 1 + lifter / 2 * sin(pi * (k + 1) / lifter). Default: `0.0`.
  Constant<double> lifter = {};
  /// Number of coefficients. Default: `20`.
  Constant<int64_t> n_mfcc = {};
  /// Make the cosines orthonormal; not with `dct_type` 1. Default: `false`.
  Constant<bool> normalize = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Mel-frequency cepstral coefficients: a cosine transform of a mel spectrogram in decibels along its mels.
/// @param mel  Float tensor of one axis or more.
/// @return Float tensor; along the axis it has `n_mfcc` coefficients, or as many as there were numbers.
inline Node mfcc(Graph& graph, Node mel, const MfccArgs& args = {}) {
  return Call("mfcc", {mel}, args.common)
      .arg("axis", args.axis)
      .arg("dct_type", args.dct_type)
      .arg("lifter", args.lifter)
      .arg("n_mfcc", args.n_mfcc)
      .arg("normalize", args.normalize)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
