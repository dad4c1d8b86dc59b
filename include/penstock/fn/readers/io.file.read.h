// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace io {

namespace file {

struct ReadArgs {
  CommonArgs common = {};
};
/// The bytes of the files whose paths are given.
inline Node read(Graph& graph, Node filepaths, const ReadArgs& args = {}) {
  return Call("io.file.read", {filepaths}, args.common).add(graph).front();
}

}  // namespace file

}  // namespace io

}  // namespace penstock::fn
