// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct MfccArgs {
  Constant<int64_t> axis = {};
  Constant<int64_t> dct_type = {};
  Constant<double> lifter = {};
  Constant<int64_t> n_mfcc = {};
  Constant<bool> normalize = {};
  CommonArgs common = {};
};
/// Mel-frequency cepstral coefficients: a cosine transform of a mel spectrogram in decibels along its mels.
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
