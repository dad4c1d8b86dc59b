// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ShapesArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// The shape of each sample.
inline Node shapes(Graph& graph, Node data, const ShapesArgs& args = {}) {
  return Call("shapes", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
