// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of dump_image().
struct DumpImageArgs {
  /// Where the files go; it has to exist. Default: `"."`.
  Constant<std::string> folder = {};
  /// Part of the files' names. Default: `""`.
  Constant<std::string> suffix = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Writes each sample as a picture file, `<position in the batch>-<suffix>-<batch>.ppm`, and passes it on.
///
/// For looking at what a pipeline makes. Batches that are made ahead are written ahead. A restored pipeline goes on
/// with the numbers of its batches, and writes those again that it makes again.
/// @param data  Pictures of uint8 with 1 or 3 channels. Layouts: HWC, HW.
/// @return The input.
inline Node dump_image(Graph& graph, Node data, const DumpImageArgs& args = {}) {
  return Call("dump_image", {data}, args.common)
      .arg("folder", args.folder)
      .arg("suffix", args.suffix)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
