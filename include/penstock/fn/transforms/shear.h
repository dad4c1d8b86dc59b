// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

struct ShearArgs {
  Arg<Floats> angles = {};
  Arg<Floats> center = {};
  Constant<bool> reverse_order = {};
  Arg<Floats> shear = {};
  CommonArgs common = {};
};
/// Makes the matrix of a shear.
inline Node shear(Graph& graph, std::optional<Node> matrix, const ShearArgs& args = {}) {
  return Call("transforms.shear", {}, args.common)
      .input(matrix)
      .arg("angles", args.angles)
      .arg("center", args.center)
      .arg("reverse_order", args.reverse_order)
      .arg("shear", args.shear)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
