#include "ops/host/external_source.h"

#include "core/check.h"
#include "schema/registry.h"

namespace penstock {

void ExternalSource::accept(TensorList& data) const {
  const ExternalSourceArgs& want = constants();
  if (data.size() == 0) return;  // no sample has a type, a rank or a layout
  PENSTOCK_CHECK(!want.dtype || *want.dtype == data.dtype(), DataError, "expected data of type {} and got: {}",
                 name_of(*want.dtype), name_of(data.dtype()));
  PENSTOCK_CHECK(!want.ndim || *want.ndim == data.ndim(), DataError, "expected data with {} dimensions and got {}",
                 *want.ndim, data.ndim());
  if (!want.layout) return;
  PENSTOCK_CHECK(data.layout().empty() || data.layout() == Layout(*want.layout), DataError,
                 "Expected data with layout: \"{}\" and got: \"{}\"", *want.layout, data.layout().view());
  data.set_layout(Layout(*want.layout));
}

[[gnu::cold]] void register_external_source(Registry& r) {
  r.add<ExternalSource>("external_source")
      .doc("Takes batches from outside the graph: from Pipeline.feed_input, or from a Python source.")
      .kind(OpKind::kExternal)
      .output("data", "The batches as they were fed.")
      .arg("dtype", &ExternalSourceArgs::dtype, "Element type that every batch must have; any when not given.")
      .arg("ndim", &ExternalSourceArgs::ndim, "Number of dimensions that every sample must have; any when not given.")
      .arg("layout", &ExternalSourceArgs::layout, "Layout that the samples are given, such as \"HWC\".")
      .host_only("brings in what the program has")
      .hidden()
      .keep();
}

}  // namespace penstock
