#include "device/pinnable.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace penstock::device {
namespace {

/// Whether all of it is in the system's memory.
bool is_there(std::span<const std::byte> memory) {
  static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((memory.size() + page - 1) / page);
  if (::mincore(const_cast<std::byte*>(memory.data()), memory.size(), pages.data()) != 0) return false;
  return std::ranges::all_of(pages, [](unsigned char p) { return (p & 1) != 0; });
}

}  // namespace

Pinnable::Pinnable(std::span<const std::byte> memory, bool told)
    : memory_(memory),
      told_(told),
      count_(memory.empty() ? 0 : slice_of(&memory.back()) + 1),
      slices_(std::make_unique<Slice[]>(count_)) {}

Pinnable::~Pinnable() {
  Device* const pinner = pinner_;
  for (size_t i = 0; pinner && i < count_; ++i)
    if (slices_[i].state == State::kPinned) pinner->runtime().unpin(bytes_of(i).data());
}

std::span<const std::byte> Pinnable::bytes_of(size_t slice) const {
  const size_t before = address(memory_.data()) % kSlice;  // of the first slice, not in this memory
  const size_t begin = std::max(slice * kSlice, before) - before;
  return memory_.subspan(begin, std::min((slice + 1) * kSlice - before, memory_.size()) - begin);
}

bool Pinnable::pinned(Device& device, std::span<const std::byte> bytes) {
  if (bytes.empty() || refused_.load(std::memory_order_relaxed)) return false;
  if (bytes.data() < memory_.data() || bytes.data() + bytes.size() > memory_.data() + memory_.size()) return false;
  bool all = true;
  for (size_t i = slice_of(bytes.data()); i <= slice_of(&bytes.back()); ++i) {
    if (slices_[i].state.load(std::memory_order_acquire) == State::kPinned) continue;
    try_to_pin(device, i, bytes.size());
    all = false;
  }
  return all;
}

/// To ask whether a slice is there takes as long as to copy a record: this asks at the first use of the slice,
/// and whenever twice as much of it has been wanted. Where the system does not tell, all is there once records as long
/// as two slices have been copied: as a rule that is in the second epoch.
bool Pinnable::worth_asking(uint64_t before, uint64_t wanted) const {
  if (told_) return std::bit_width(before) != std::bit_width(wanted);
  return before < 2 * kSlice && wanted >= 2 * kSlice;
}

void Pinnable::try_to_pin(Device& device, size_t slice, size_t bytes) {
  Slice& s = slices_[slice];
  const uint64_t before = s.wanted.fetch_add(bytes, std::memory_order_relaxed);
  if (!worth_asking(before, before + bytes)) return;
  State free = State::kFree;
  if (!s.state.compare_exchange_strong(free, State::kAsked)) return;
  const auto memory = bytes_of(slice);
  const bool there = !told_ || is_there(memory), pinned = there && device.runtime().pin(memory.data(), memory.size());
  if (pinned) pinner_ = &device;
  if (there && !pinned) refused_ = true;
  s.state.store(pinned ? State::kPinned : State::kFree, std::memory_order_release);
}

}  // namespace penstock::device
