// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

struct RotationArgs {
  Arg<double> angle = {};
  Arg<Floats> axis = {};
  Arg<Floats> center = {};
  Constant<bool> reverse_order = {};
  CommonArgs common = {};
};
/// Makes the matrix of a rotation: in the plane, or around `axis` in three dimensions.
inline Node rotation(Graph& graph, std::optional<Node> matrix, const RotationArgs& args = {}) {
  return Call("transforms.rotation", {}, args.common)
      .input(matrix)
      .arg("angle", args.angle)
      .arg("axis", args.axis)
      .arg("center", args.center)
      .arg("reverse_order", args.reverse_order)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
