#include "memory.h"

#include <penstock/memory.h>

namespace penstock::bindings {

void bind_memory(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "memory_use",
      [](int device) {
        const MemoryUse use = memory_use(device);
        nb::dict d;
        d["in_use"] = use.in_use;
        d["idle"] = use.idle;
        d["limit"] = use.limit;
        return d;
      },
      "device"_a);
  m.def("set_memory_limit", &set_memory_limit, "bytes"_a, "device"_a);
  m.def("release_unused_memory", &release_unused_memory, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace penstock::bindings
