#include "pipeline/list_builder.h"

#include <algorithm>
#include <cstring>

namespace penstock {

ListBuilder::ListBuilder(Allocate allocate, int64_t samples, bool ragged)
    : allocate_(std::move(allocate)), ragged_(ragged), slots_(static_cast<size_t>(samples)), sources_(slots_.size()) {}

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
  sources_.set(slot, source);
  mine.set = true;
}

void ListBuilder::set_zero(size_t slot) {
  const auto like = std::ranges::find_if(slots_, &Slot::set);
  if (like == slots_.end()) return skip(slot);
  TensorView view = like->view;
  view.data = place(slot, view.nbytes());
  std::memset(view.data, 0, view.nbytes());
  set(slot, view, {});
}

TensorList ListBuilder::finish() {
  std::vector<int64_t> set;
  const auto some = std::ranges::find_if(slots_, &Slot::set);
  if (some == slots_.end()) return {};
  bool skipped = false;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].set && !slots_[i].skipped) continue;
    if (!slots_[i].set) {
      slots_[i] = Slot{some->view, some->own, false, true};
      skipped = true;
    }
    set.push_back(static_cast<int64_t>(i));
  }
  const auto all = [&](auto&& holds) {
    return std::all_of(set.begin(), set.end(), [&](int64_t i) { return holds(slots_[static_cast<size_t>(i)]); });
  };
  const TensorDesc first = slots_[static_cast<size_t>(set[0])].view;
  const bool alike = all([&](const Slot& s) { return TensorDesc(s.view) == first; });
  ragged_ = !alike && !all([&](const Slot& s) { return s.view.shape == first.shape; });
  const bool dense =
      alike && !skipped && set.size() == slots_.size() && all([](const Slot& s) { return !s.own.owner; });
  const Buffer& slab = slab_.get([] { return Slab{}; }).memory;  // none where no sample asked for it
  TensorList list = dense ? TensorList(slab, static_cast<int64_t>(set.size()), first) : separate(set, slab);
  list.set_sources(sources_.of(set));
  return list;
}

TensorList ListBuilder::separate(std::span<const int64_t> set, const Buffer& slab) const {
  std::vector<Tensor> tensors;
  for (int64_t i : set) {
    const Slot& slot = slots_[static_cast<size_t>(i)];
    tensors.push_back({slot.own.owner ? slot.own : slab, slot.view, {}});
  }
  return TensorList(std::move(tensors));
}

}  // namespace penstock
