// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct FullArgs {
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor filled with a value, repeated by the rules of broadcasting.
inline Node full(Graph& graph, Node fill_value, const FullArgs& args = {}) {
  return Call("full", {fill_value}, args.common).arg("layout", args.layout).arg("shape", args.shape).add(graph).front();
}

}  // namespace penstock::fn
