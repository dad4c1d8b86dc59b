// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

struct ErodeArgs {
  Arg<Ints> anchor = {};
  Constant<std::string> border_mode = {};
  Constant<int64_t> iterations = {};
  Arg<Ints> mask_size = {};
  CommonArgs common = {};
};
/// Gives the least element of the rectangle around each, by channels.
inline Node erode(Graph& graph, Node input, const ErodeArgs& args = {}) {
  return Call("experimental.erode", {input}, args.common)
      .arg("anchor", args.anchor)
      .arg("border_mode", args.border_mode)
      .arg("iterations", args.iterations)
      .arg("mask_size", args.mask_size)
      .add(graph)
      .front();
}

}  // namespace experimental

}  // namespace penstock::fn
