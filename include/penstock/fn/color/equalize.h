// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct EqualizeArgs {
  CommonArgs common = {};
};
/// Spreads the levels of each channel so that all are about equally frequent, for each picture or frame by itself, as
/// OpenCV's equalizeHist does. A channel of one level stays as it is.
inline Node equalize(Graph& graph, Node input, const EqualizeArgs& args = {}) {
  return Call("equalize", {input}, args.common).add(graph).front();
}

}  // namespace penstock::fn
