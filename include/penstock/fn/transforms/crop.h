// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

struct CropArgs {
  Constant<bool> absolute = {};
  Arg<Floats> from_end = {};
  Arg<Floats> from_start = {};
  Constant<bool> reverse_order = {};
  Arg<Floats> to_end = {};
  Arg<Floats> to_start = {};
  CommonArgs common = {};
};
/// Makes the matrix that maps one box to another: coordinates in a picture to those in a crop.
inline Node crop(Graph& graph, std::optional<Node> matrix, const CropArgs& args = {}) {
  return Call("transforms.crop", {}, args.common)
      .input(matrix)
      .arg("absolute", args.absolute)
      .arg("from_end", args.from_end)
      .arg("from_start", args.from_start)
      .arg("reverse_order", args.reverse_order)
      .arg("to_end", args.to_end)
      .arg("to_start", args.to_start)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
