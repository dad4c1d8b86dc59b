// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PreemphasisFilterArgs {
  Constant<std::string> border = {};
  Constant<DType> dtype = {};
  Arg<double> preemph_coeff = {};
  CommonArgs common = {};
};
/// Weakens low frequencies: y[t] = x[t] - preemph_coeff * x[t - 1]. A tensor of several axes is one signal, in the
/// order of memory.
inline Node preemphasis_filter(Graph& graph, Node signal, const PreemphasisFilterArgs& args = {}) {
  return Call("preemphasis_filter", {signal}, args.common)
      .arg("border", args.border)
      .arg("dtype", args.dtype)
      .arg("preemph_coeff", args.preemph_coeff)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
