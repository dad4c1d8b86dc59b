// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of jpeg_compression_distortion().
struct JpegCompressionDistortionArgs {
  /// 1 (lowest) to 100 (highest); what lies outside takes these ends. Default: `50`.
  Arg<int64_t> quality = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Gives pictures the artefacts of JPEG: what comes out when libjpeg-turbo writes a file of that quality, with chroma
/// of half the resolution, and it is read again.
/// @param input  RGB, uint8. Layouts: HWC, FHWC.
/// @return Shape, layout and type of the input.
inline Node jpeg_compression_distortion(Graph& graph, Node input, const JpegCompressionDistortionArgs& args = {}) {
  return Call("jpeg_compression_distortion", {input}, args.common).arg("quality", args.quality).add(graph).front();
}

}  // namespace penstock::fn
