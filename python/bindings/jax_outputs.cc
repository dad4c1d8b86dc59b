#include "jax_outputs.h"

#include "gpu.h"

namespace penstock::bindings {
namespace {

/// Whether a batch in host memory can be copied by the program, too: for JAX to place it costs more than all else.
/// Larger ones would keep the thread that launches programs, and JAX has other types for those of 64 bits.
bool goes_along(const TensorList& list) {
  constexpr size_t kMostBytes = 64 << 10;
  if (size_of(list.dtype()) >= sizeof(int64_t) || !list.uniform() || !list.contiguous()) return false;
  return list.size() == 0 || static_cast<size_t>(list.size()) * list[0].nbytes() <= kMostBytes;
}

/// Which outputs a program takes, and what it is compiled for, as a key: the device of each of them, its element type
/// and extents. Those on the host go where `along` has true for them.
nb::tuple jax_described(const nb::sequence& outputs, const nb::sequence& along) {
  nb::list goes, all;
  size_t number = 0;
  for (nb::handle output : outputs) {
    const TensorList list = list_of(output);
    const bool may_go = number < nb::len(along) && nb::cast<bool>(along[number]);
    const bool taken = list.device() != kHostMemory || (may_go && goes_along(list));
    ++number;
    goes.append(taken);
    if (!taken) continue;
    if (!list.uniform()) (void)list.as_tensor();  // says why no array can be made of it
    all.append(list.device());
    all.append(static_cast<int>(list.dtype()));
    all.append(list.size());
    if (list.size())
      for (int64_t extent : list[0].shape) all.append(extent);
  }
  return nb::make_tuple(goes, nb::tuple(all));
}

}  // namespace

void bind_jax_outputs(nb::module_& m) {
  using namespace nb::literals;
  m.def("jax_described", &jax_described, "outputs"_a, "along"_a);
}

}  // namespace penstock::bindings
