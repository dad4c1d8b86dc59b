// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of preemphasis_filter().
struct PreemphasisFilterArgs {
  /// What lies before the first sample: "zero", "clamp" (the first sample) or "reflect" (the second). Default:
  /// `"clamp"`.
  Constant<std::string> border = {};
  /// Type of the output; numbers are rounded and saturated. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// What is taken off of the sample before. Default: `0.97`.
  Arg<double> preemph_coeff = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Weakens low frequencies: y[t] = x[t] - preemph_coeff * x[t - 1]. A tensor of several axes is one signal, in the
/// order of memory.
/// @param signal  Tensor of any shape and of any type but bool.
/// @return Tensor of the same shape and layout.
inline Node preemphasis_filter(Graph& graph, Node signal, const PreemphasisFilterArgs& args = {}) {
  return Call("preemphasis_filter", {signal}, args.common)
      .arg("border", args.border)
      .arg("dtype", args.dtype)
      .arg("preemph_coeff", args.preemph_coeff)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
