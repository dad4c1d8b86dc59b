// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CutmixArgs {
  Constant<double> alpha = {};
  Constant<int64_t> num_classes = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Puts a random box of the sample before it in the batch (of the last one, into the first) into each sample, and mixes
/// labels by its area (Yun et al., "CutMix", 2019). Frames and channels share the box, which depends on the seed, the
/// epoch and the sample alone.
inline std::array<Node, 2> cutmix(Graph& graph, Node images, Node labels, const CutmixArgs& args = {}) {
  return Call("cutmix", {images, labels}, args.common)
      .arg("alpha", args.alpha)
      .arg("num_classes", args.num_classes)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
