// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of pad().
struct PadArgs {
  /// Extents become multiples of this; one value, or one a padded axis. Default: `{}`.
  Arg<Ints> align = {};
  /// Axes to pad; all when not given. Excludes `axis_names`. Default: `{}`.
  Arg<Ints> axes = {};
  /// Letters of the axes to pad. Excludes `axes`. Default: `""`.
  Constant<std::string> axis_names = {};
  /// Value of the padding. Default: `0.0`.
  Arg<double> fill_value = {};
  /// Least extents, one value or one a padded axis; where not positive, the largest of the batch. Default: `{}`.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch.
/// @param data  Tensor of any shape and type.
/// @return The padded tensor; never smaller than the input.
inline Node pad(Graph& graph, Node data, const PadArgs& args = {}) {
  return Call("pad", {data}, args.common)
      .arg("align", args.align)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("fill_value", args.fill_value)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
