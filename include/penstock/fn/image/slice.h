// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of slice().
struct SliceArgs {
  /// Axes that the values belong to, in that order; all for an empty list. Excludes `axis_names`. Default: `{1, 0}`.
  Arg<Ints> axes = {};
  /// Letters of the layout that the values belong to, in that order; "" for all axes. Default: `"WH"`.
  Constant<std::string> axis_names = {};
  /// Type of the output: FLOAT, FLOAT16 or UINT8; the input's when not given. Fractions are dropped.
  Constant<DType> dtype = {};
  /// Where the window ends, per axis. Default: `{}`.
  Arg<Ints> end = {};
  /// Value of the padded area: one for all channels, or one per channel. Default: `{0.0}`.
  Constant<Floats> fill_values = {};
  /// Whether a float input `anchor` is relative to the extents. Default: `true`.
  Constant<bool> normalized_anchor = {};
  /// Whether a float input `shape` is relative to the extents. Default: `true`.
  Constant<bool> normalized_shape = {};
  /// What to do where the window sticks out of the input: "error", "pad" or "const" (fill with `fill_values`) or
  /// "trim_to_shape" (make the window smaller); `crop` and `slice` also know "edge" or "clamp", "reflect_1001" or
  /// "reflect", "reflect_101" and "wrap". Default: `"error"`.
  Constant<std::string> out_of_bounds_policy = {};
  /// Where the window ends, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_end = {};
  /// How large the window is, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_shape = {};
  /// Where the window starts, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_start = {};
  /// How large the window is, per axis. Default: `{}`.
  Arg<Ints> shape = {};
  /// Where the window starts, per axis. Default: `{}`.
  Arg<Ints> start = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs.
/// @param data  Anything with one to eight dimensions.
/// @param anchor  Where the window starts; floats are relative, integers absolute. May be left out: `{}`.
/// @param shape_input  How large the window is; same type as the anchor. May be left out: `{}`.
/// @return The window; layout as the input.
inline Node slice(Graph& graph, Node data, std::optional<Node> anchor, std::optional<Node> shape_input,
                  const SliceArgs& args = {}) {
  return Call("slice", {data}, args.common)
      .input(anchor)
      .input(shape_input)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("end", args.end)
      .arg("fill_values", args.fill_values)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("rel_end", args.rel_end)
      .arg("rel_shape", args.rel_shape)
      .arg("rel_start", args.rel_start)
      .arg("shape", args.shape)
      .arg("start", args.start)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
