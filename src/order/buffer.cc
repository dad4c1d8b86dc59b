#include "order/buffer.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "order/permutation.h"

namespace penstock::order {
namespace {

/// What comes out of a buffer that `count` samples go through.
std::vector<uint32_t> played(uint64_t size, uint64_t key, uint64_t count) {
  std::vector<uint32_t> buffer(std::min(size, count)), order(count);
  std::iota(buffer.begin(), buffer.end(), 0u);
  auto next = static_cast<uint32_t>(buffer.size());
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t& chosen = buffer[((mix64(key + i) >> 32) * buffer.size()) >> 32];
    order[i] = chosen;
    if (next < count) {
      chosen = next++;
    } else {
      chosen = buffer.back();
      buffer.pop_back();
    }
  }
  return order;
}

}  // namespace

BufferShuffle::BufferShuffle(uint64_t size)
    : size_(size), stretch_(std::max(2 * size, std::min<uint64_t>(16 * size, 1 << 20))) {}

uint64_t BufferShuffle::operator()(uint64_t n, uint64_t key, uint64_t position) const {
  if (size_ <= 1) return position;
  if (size_ >= n) return Permutation(n, key)(position);
  const uint64_t stretches = std::max<uint64_t>(n / stretch_, 1);  // what is left over belongs to the last one
  const uint64_t number = std::min(position / stretch_, stretches - 1), first = number * stretch_;
  const uint64_t count = number + 1 == stretches ? n - first : stretch_;
  return first + (*order_of(n, key, number, count))[position - first];
}

BufferShuffle::Order BufferShuffle::order_of(uint64_t n, uint64_t key, uint64_t number, uint64_t count) const {
  const std::lock_guard lock(mutex_);
  for (const Stretch& one : recent_)
    if (one.order && one.n == n && one.key == key && one.number == number) return one.order;
  const auto made = std::make_shared<const std::vector<uint32_t>>(played(size_, mix64(mix64(key, 2), number), count));
  recent_[next_] = {n, key, number, made};
  next_ = (next_ + 1) % recent_.size();
  return made;
}

}  // namespace penstock::order
