// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of filter().
struct FilterArgs {
  /// The filter's element that lies over the result's place: one for all axes, or one for each, outermost first. -1
  /// stands for the extent's half, rounded down. Without meaning where `mode` is "valid". Default: `{-1}`.
  Arg<Ints> anchor = {};
  /// What lies outside: "reflect_101" (dcb|abcd), "reflect_1001" or "reflect" (cba|abcd), "wrap" (bcd|abcd), "clamp" or
  /// "replicate" (aaa|abcd) or "constant" (`fill_value`). Default: `"reflect_101"`.
  Constant<std::string> border = {};
  /// FLOAT, or the input's type, which it is when not given.
  Constant<DType> dtype = {};
  /// "same": the result has the input's extents. "valid": it has only places where all of the filter lies inside.
  /// Default: `"same"`.
  Constant<std::string> mode = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Correlates pictures, volumes or every frame of a sequence with a filter: each result is the sum of the elements
/// under the filter, which is not turned, times its weights. Sums are made in float.
/// @param data  Any type but bool; channels first or last.
/// @param filter  FLOAT, with an axis for each axis of the data besides frames and channels. With a layout that begins
/// with F it holds one filter for each frame.
/// @param fill_value  With `border="constant"`: what lies outside, one value of the data's type; usually 0. May be left
/// out: `{}`.
/// @return Layout of the input, its type or FLOAT.
inline Node filter(Graph& graph, Node data, Node filter, std::optional<Node> fill_value, const FilterArgs& args = {}) {
  return Call("filter", {data, filter}, args.common)
      .input(fill_value)
      .arg("anchor", args.anchor)
      .arg("border", args.border)
      .arg("dtype", args.dtype)
      .arg("mode", args.mode)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
