// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace io {

namespace file {

/// Arguments of read().
struct ReadArgs {
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The bytes of the files whose paths are given.
/// @param filepaths  The path of a file: the bytes of its text, as uint8 or int8. They may end in a 0.
/// @return All bytes of the file, as uint8.
inline Node read(Graph& graph, Node filepaths, const ReadArgs& args = {}) {
  return Call("io.file.read", {filepaths}, args.common).add(graph).front();
}

}  // namespace file

}  // namespace io

}  // namespace penstock::fn
