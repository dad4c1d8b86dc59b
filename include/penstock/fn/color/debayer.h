// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct DebayerArgs {
  Constant<std::string> algorithm = {};
  Arg<Ints> blue_position = {};
  CommonArgs common = {};
};
/// Makes RGB pictures of what a sensor with a Bayer pattern saw: each missing colour is the mean of the two or four
/// nearest elements that saw it, as OpenCV's methods have it.
inline Node debayer(Graph& graph, Node input, const DebayerArgs& args = {}) {
  return Call("debayer", {input}, args.common)
      .arg("algorithm", args.algorithm)
      .arg("blue_position", args.blue_position)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
