#include "callback.h"

#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "core/check.h"
#include "gpu.h"
#include "ops/host/callback.h"

namespace penstock::bindings {
namespace {

/// Runs on a worker: takes the GIL for the call, and turns what Python raises into an error of the sample's batch.
void call(const nb::object& function, BatchContext& batch) {
  const nb::gil_scoped_acquire gil;
  try {
    nb::list inputs;
    for (const TensorList* input : batch.inputs) inputs.append(nb::cast(*input));
    const nb::object made = function(batch.ids.size(), inputs);
    for (nb::handle output : made) batch.outputs.push_back(list_of(output));
  } catch (nb::python_error& e) {
    if (e.matches(PyExc_StopIteration)) fail<EndOfData>("the function has no more data");
    fail<DataError>("the Python function raised:\n{}", e.what());
  }
}

int64_t keep(nb::object function) {
  return keep_callback([held = hold(std::move(function))](BatchContext& batch) { call(*held, batch); });
}

}  // namespace

void bind_callback(nb::module_& m) {
  using namespace nb::literals;
  m.def("keep_callback", &keep, "function"_a,
        "Keeps function(batch_size, inputs) -> outputs, batches as TensorListCPU, and returns its number.");
  m.def("release_callback", &release_callback, "id"_a);
}

}  // namespace penstock::bindings
