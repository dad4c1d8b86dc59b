// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct DumpImageArgs {
  Constant<std::string> folder = {};
  Constant<std::string> suffix = {};
  CommonArgs common = {};
};
/// Writes each sample as a picture file, `<position in the batch>-<suffix>-<batch>.ppm`, and passes it on.
///
/// For looking at what a pipeline makes. Batches that are made ahead are written ahead. A restored pipeline goes on
/// with the numbers of its batches, and writes those again that it makes again.
inline Node dump_image(Graph& graph, Node data, const DumpImageArgs& args = {}) {
  return Call("dump_image", {data}, args.common)
      .arg("folder", args.folder)
      .arg("suffix", args.suffix)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
