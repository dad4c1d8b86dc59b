// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of lookup_table().
struct LookupTableArgs {
  /// Value of all other keys. Default: `0.0`.
  Constant<double> default_value = {};
  /// Type of the output. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// Keys in [0, 65535]. Default: `{}`.
  Constant<Ints> keys = {};
  /// One value for each key. Default: `{}`.
  Constant<Floats> values = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Replaces each element, a key, by its value in a table. Of keys that are given twice the last one counts.
/// @param keys  Integers of any shape.
/// @return The values, in the shape and layout of the input.
inline Node lookup_table(Graph& graph, Node keys, const LookupTableArgs& args = {}) {
  return Call("lookup_table", {keys}, args.common)
      .arg("default_value", args.default_value)
      .arg("dtype", args.dtype)
      .arg("keys", args.keys)
      .arg("values", args.values)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
