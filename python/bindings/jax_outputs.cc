#include "jax_outputs.h"

#include <algorithm>
#include <vector>

#include "arrays.h"
#include "device/pool.h"
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

/// The owner of an output's memory: the object that lent it, or True for the pipeline's own. None where the memory must
/// not be read by any means: it is not on a GPU, or the host has not seen the end of the work.
nb::object lender_of(const TensorList& list) {
  if (list.device() == kHostMemory || !list.size() || !list.uniform() || !list.contiguous()) return nb::none();
  device::Block* block = device::pool_block(list.at(0).buffer);
  if (!block || !block->is_done()) return nb::none();
  return block->lender() ? held_by(block->lender()) : nb::cast(true);
}

/// Which outputs a program takes; what it is compiled for, as a key: the device of each of them, its element type and
/// extents; and the lender of each. Those on the host go where `along` has true for them: to the GPU of the others, to
/// whose memory they may be brought as well.
nb::tuple jax_described(const nb::sequence& outputs, const nb::sequence& along) {
  nb::list goes, all, lenders;
  std::vector<TensorList> lists;
  std::vector<nb::object> on_gpus;
  for (nb::handle output : outputs) on_gpus.push_back(lender_of(lists.emplace_back(list_of(output))));
  const auto on_gpu = std::ranges::find_if(lists, [](const TensorList& list) { return list.device() != kHostMemory; });
  const int gpu = on_gpu == lists.end() ? kHostMemory : on_gpu->device();
  const bool seen = std::ranges::any_of(on_gpus, [](const nb::object& one) { return !one.is_none(); });
  for (size_t number = 0; number < lists.size(); ++number) {
    const TensorList& list = lists[number];
    const bool may_go = number < nb::len(along) && nb::cast<bool>(along[number]);
    const bool taken = list.device() != kHostMemory || (may_go && goes_along(list));
    goes.append(taken);
    if (!taken) continue;
    if (!list.uniform()) (void)list.as_tensor();  // says why no array can be made of it
    const bool on_host = list.device() == kHostMemory;
    lenders.append(on_host && seen ? nb::cast(true) : on_gpus[number]);
    all.append(on_host ? gpu : list.device());
    all.append(static_cast<int>(list.dtype()));
    all.append(list.size());
    if (list.size())
      for (int64_t extent : list[0].shape) all.append(extent);
  }
  return nb::make_tuple(goes, nb::tuple(all), lenders);
}

}  // namespace

void bind_jax_outputs(nb::module_& m) {
  using namespace nb::literals;
  m.def("jax_described", &jax_described, "outputs"_a, "along"_a);
}

}  // namespace penstock::bindings
