// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

/// Arguments of erode().
struct ErodeArgs {
  /// The rectangle's element that lies over the result's place: along x and along y. -1 stands for its middle. Default:
  /// `{-1, -1}`.
  Arg<Ints> anchor = {};
  /// What lies outside: "constant" (nothing that would be the result), "replicate" (aaa|abcd), "reflect" (cba|abcd),
  /// "reflect_101" (dcb|abcd) or "wrap" (bcd|abcd). Default: `"constant"`.
  Constant<std::string> border_mode = {};
  /// How many times it is done: each time more makes the rectangle larger by its size less one. Default: `1`.
  Constant<int64_t> iterations = {};
  /// Width and height of the rectangle, or one value for both. Default: `{3, 3}`.
  Arg<Ints> mask_size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Gives the least element of the rectangle around each, by channels.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HW, HWC, FHWC, CHW, FCHW.
/// @return Shape, layout and type of the input.
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
