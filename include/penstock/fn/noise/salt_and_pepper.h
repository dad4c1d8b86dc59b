// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

/// Arguments of salt_and_pepper().
struct SaltAndPepperArgs {
  /// Value of pepper; the lowest of an integer type, -1 for floats, when not given.
  Arg<double> pepper_val = {};
  /// Whether each channel of a pixel is decided on its own. Without a layout, the last axis is taken for that of
  /// channels. Default: `false`.
  Constant<bool> per_channel = {};
  /// Probability that a pixel is replaced. Default: `0.05`.
  Arg<double> prob = {};
  /// Value of salt; the highest of an integer type, 1 for floats, when not given.
  Arg<double> salt_val = {};
  /// Probability that it is replaced by salt. Default: `0.5`.
  Arg<double> salt_vs_pepper = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Replaces some pixels by one of two values.
/// @param data  Tensor of any shape and type.
/// @return Shape, type and layout of the input. Integers are rounded and clamped to their type.
inline Node salt_and_pepper(Graph& graph, Node data, const SaltAndPepperArgs& args = {}) {
  return Call("noise.salt_and_pepper", {data}, args.common)
      .arg("pepper_val", args.pepper_val)
      .arg("per_channel", args.per_channel)
      .arg("prob", args.prob)
      .arg("salt_val", args.salt_val)
      .arg("salt_vs_pepper", args.salt_vs_pepper)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

}  // namespace noise

}  // namespace penstock::fn
