// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of get_property().
struct GetPropertyArgs {
  /// "source_info": the file or key it comes from. "layout": its layout. Required.
  Constant<std::string> key = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// What is known about a sample besides its data, as the bytes of a text.
/// @param data  Tensor of any shape and type.
/// @return A list of uint8, empty when nothing is known.
inline Node get_property(Graph& graph, Node data, const GetPropertyArgs& args = {}) {
  return Call("get_property", {data}, args.common).arg("key", args.key).add(graph).front();
}

}  // namespace penstock::fn
