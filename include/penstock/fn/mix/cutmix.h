// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of cutmix().
struct CutmixArgs {
  /// The share of a sample's own pixels has the distribution Beta(alpha, alpha). 0: everything stays. Default: `1.0`.
  Constant<double> alpha = {};
  /// How many classes there are; may be left out where labels hold a share for each. Default: `0`.
  Constant<int64_t> num_classes = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Puts a random box of the sample before it in the batch (of the last one, into the first) into each sample, and mixes
/// labels by its area (Yun et al., "CutMix", 2019). Frames and channels share the box, which depends on the seed, the
/// epoch and the sample alone.
/// @param images  Pictures of any type; neighbours in the batch have one shape. Layouts: HWC, CHW, FHWC, FCHW, DHWC.
/// @param labels  A class number, or FLOAT: a share for each class.
/// @return in this order:
/// - `images`: Mixed; shape, type and layout of the input.
/// - `labels`: FLOAT: a share for each class. They are mixed as the pixels are.
inline std::array<Node, 2> cutmix(Graph& graph, Node images, Node labels, const CutmixArgs& args = {}) {
  return Call("cutmix", {images, labels}, args.common)
      .arg("alpha", args.alpha)
      .arg("num_classes", args.num_classes)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
