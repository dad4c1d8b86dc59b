// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct MixupArgs {
  Constant<double> alpha = {};
  Constant<int64_t> num_classes = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Mixes each sample of a batch with the one before it (the first one with the last): pixels by a random share, labels
/// by the same (Zhang et al., "mixup", 2018). The share depends on the seed, the epoch and the sample alone, so batches
/// of another size change results only at their ends.
inline std::array<Node, 2> mixup(Graph& graph, Node images, Node labels, const MixupArgs& args = {}) {
  return Call("mixup", {images, labels}, args.common)
      .arg("alpha", args.alpha)
      .arg("num_classes", args.num_classes)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
