// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of mixup().
struct MixupArgs {
  /// The share of a sample's own pixels has the distribution Beta(alpha, alpha). 0: everything stays. Default: `1.0`.
  Constant<double> alpha = {};
  /// How many classes there are; may be left out where labels hold a share for each. Default: `0`.
  Constant<int64_t> num_classes = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Mixes each sample of a batch with the one before it (the first one with the last): pixels by a random share, labels
/// by the same (Zhang et al., "mixup", 2018). The share depends on the seed, the epoch and the sample alone, so batches
/// of another size change results only at their ends.
/// @param images  uint8, int16, uint16, float16 or float; neighbours in the batch have one shape.
/// @param labels  A class number, or FLOAT: a share for each class.
/// @return in this order:
/// - `images`: Mixed; shape, type and layout of the input.
/// - `labels`: FLOAT: a share for each class. They are mixed as the pixels are.
inline std::array<Node, 2> mixup(Graph& graph, Node images, Node labels, const MixupArgs& args = {}) {
  return Call("mixup", {images, labels}, args.common)
      .arg("alpha", args.alpha)
      .arg("num_classes", args.num_classes)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
