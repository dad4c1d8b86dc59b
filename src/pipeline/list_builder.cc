#include "pipeline/list_builder.h"

#include <algorithm>
#include <cstring>

namespace penstock {

ListBuilder::ListBuilder(Allocate allocate, int64_t samples, bool ragged)
    : allocate_(std::move(allocate)), ragged_(ragged), slots_(static_cast<size_t>(samples)) {}

std::byte* ListBuilder::place(size_t slot, size_t bytes) {
  Slot& mine = slots_[slot];
  if (!ragged_) {
    const Slab& slab = slab_.get([&] { return Slab{allocate_(bytes * slots_.size()), bytes}; });
    if (bytes == slab.each) return slab.memory.data + slot * bytes;
  }
  if (mine.own.size < bytes) mine.own = allocate_(bytes);
  return mine.own.data;
}

void ListBuilder::set(size_t slot, const TensorView& sample, std::string_view source) {
  Slot& mine = slots_[slot];
  mine.view = sample;
  const size_t bytes = sample.nbytes();
  std::byte* target = place(slot, bytes);
  if (sample.data != target && bytes) std::memcpy(target, sample.data, bytes);
  mine.view.data = target;
  mine.source = source;
  mine.set = true;
}

void ListBuilder::set_zero(size_t slot, size_t like) {
  TensorView view = slots_[like].view;
  view.data = place(slot, view.nbytes());
  std::memset(view.data, 0, view.nbytes());
  set(slot, view, {});
}

TensorList ListBuilder::finish() {
  const Buffer& slab = slab_.get([] { return Slab{}; }).memory;  // none where nobody asked for it
  const bool in_slab = std::all_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.set && !s.own.owner; });
  const auto set = std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.set; });
  ragged_ = std::any_of(set, slots_.end(), [&](const Slot& s) { return s.set && s.view.shape != set->view.shape; });
  if (in_slab && !slots_.empty()) {
    const bool uniform =
        std::all_of(slots_.begin(), slots_.end(), [&](const Slot& s) { return TensorDesc(s.view) == slots_[0].view; });
    if (uniform) {
      TensorList list(slab, static_cast<int64_t>(slots_.size()), slots_[0].view);
      if (std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.source.empty(); })) {
        std::vector<std::string> sources;
        for (Slot& slot : slots_) sources.push_back(std::move(slot.source));
        list.set_sources(std::move(sources));
      }
      return list;
    }
  }
  std::vector<Tensor> tensors;
  for (Slot& slot : slots_)
    if (slot.set) tensors.push_back({slot.own.owner ? slot.own : slab, slot.view, std::move(slot.source)});
  return TensorList(std::move(tensors));
}

}  // namespace penstock
