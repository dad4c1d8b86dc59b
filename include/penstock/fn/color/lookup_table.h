// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct LookupTableArgs {
  Constant<double> default_value = {};
  Constant<DType> dtype = {};
  Constant<Ints> keys = {};
  Constant<Floats> values = {};
  CommonArgs common = {};
};
/// Replaces each element, a key, by its value in a table. Of keys that are given twice the last one counts.
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
