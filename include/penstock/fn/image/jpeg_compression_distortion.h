// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct JpegCompressionDistortionArgs {
  Arg<int64_t> quality = {};
  CommonArgs common = {};
};
/// Gives pictures the artefacts of JPEG: what comes out when libjpeg-turbo writes a file of that quality, with chroma
/// of half the resolution, and it is read again.
inline Node jpeg_compression_distortion(Graph& graph, Node input, const JpegCompressionDistortionArgs& args = {}) {
  return Call("jpeg_compression_distortion", {input}, args.common).arg("quality", args.quality).add(graph).front();
}

}  // namespace penstock::fn
