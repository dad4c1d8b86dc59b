// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct GetPropertyArgs {
  Constant<std::string> key = {};
  CommonArgs common = {};
};
/// What is known about a sample besides its data, as the bytes of a text.
inline Node get_property(Graph& graph, Node data, const GetPropertyArgs& args = {}) {
  return Call("get_property", {data}, args.common).arg("key", args.key).add(graph).front();
}

}  // namespace penstock::fn
