// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of equalize().
struct EqualizeArgs {
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Spreads the levels of each channel so that all are about equally frequent, for each picture or frame by itself, as
/// OpenCV's equalizeHist does. A channel of one level stays as it is.
/// @param input  uint8. Layouts: HW, HWC, CHW, FHW, FHWC, FCHW.
/// @return Shape, layout and type of the input.
inline Node equalize(Graph& graph, Node input, const EqualizeArgs& args = {}) {
  return Call("equalize", {input}, args.common).add(graph).front();
}

}  // namespace penstock::fn
