// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

struct SaltAndPepperArgs {
  Arg<double> pepper_val = {};
  Constant<bool> per_channel = {};
  Arg<double> prob = {};
  Arg<double> salt_val = {};
  Arg<double> salt_vs_pepper = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Replaces some pixels by one of two values.
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
