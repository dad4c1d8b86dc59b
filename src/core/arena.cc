#include "core/arena.h"

#include <algorithm>
#include <limits>

#include "core/block_size.h"
#include "core/check.h"

namespace penstock {
namespace {

constexpr size_t kAlign = 64;
constexpr size_t kFirst = size_t{1} << 16;
// One huge picture must not pin its memory for the rest of a run: after this many samples that needed far less, shrink.
constexpr int kLongestSpin = 256;
constexpr size_t kKeep = size_t{8} << 20;

size_t aligned(size_t bytes) {
  PENSTOCK_CHECK(bytes <= std::numeric_limits<size_t>::max() / 2, OutOfMemory, "cannot hold {} bytes", bytes);
  return rounded_up(std::max<size_t>(bytes, 1), kAlign);
}

}  // namespace

std::byte* Arena::take(size_t bytes) {
  bytes = aligned(bytes);
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < bytes) grow(bytes);
  Chunk& chunk = chunks_.back();
  std::byte* result = chunk.memory.get() + chunk.used;
  chunk.used += bytes;
  taken_ += bytes;
  return result;
}

void Arena::grow(size_t bytes) {
  const size_t size = std::max({bytes, capacity_, kFirst});
  Chunk chunk;
  chunk.memory.reset(static_cast<std::byte*>(::operator new[](size, std::align_val_t(kAlign), std::nothrow)));
  PENSTOCK_CHECK(chunk.memory, OutOfMemory, "cannot get {} bytes of memory", size);
  chunk.size = size;
  chunks_.push_back(std::move(chunk));
  capacity_ += size;
}

void Arena::reset() {
  recent_peak_ = std::max(recent_peak_, taken_);
  const bool fragmented = chunks_.size() > 1;
  const bool oversized = ++resets_ >= kLongestSpin && capacity_ > std::max(kKeep, 2 * recent_peak_);
  if (fragmented || oversized) {
    chunks_.clear();
    capacity_ = 0;
    grow(recent_peak_);
  }
  if (resets_ >= kLongestSpin) resets_ = 0, recent_peak_ = taken_;
  for (Chunk& chunk : chunks_) chunk.used = 0;
  taken_ = 0;
}

}  // namespace penstock
