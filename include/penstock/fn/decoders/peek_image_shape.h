// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PeekImageShapeArgs {
  Constant<bool> adjust_orientation = {};
  Constant<DType> dtype = {};
  Constant<std::string> frames = {};
  Constant<ImageType> image_type = {};
  Constant<std::string> rules = {};
  CommonArgs common = {};
};
/// The shape that an encoded image will have once decoded, from its header alone.
inline Node peek_image_shape(Graph& graph, Node encoded, const PeekImageShapeArgs& args = {}) {
  return Call("peek_image_shape", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("frames", args.frames)
      .arg("image_type", args.image_type)
      .arg("rules", args.rules)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
