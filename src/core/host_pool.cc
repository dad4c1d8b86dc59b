#include "core/host_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/block_size.h"
#include "core/check.h"
#include "core/out_of_memory.h"

namespace penstock {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// Idle memory up to this much is kept even when little is in use: the gap between two batches must not free the pool.
constexpr size_t kAlwaysKeep = size_t{64} << 20;
// A block up to so many times too large is taken before the system is asked. Batches of pictures whose sizes differ
// would otherwise keep as many blocks of each size as they ever needed at once.
constexpr size_t kLoosest = 2;

std::byte* system_allocate(size_t size) {
  const bool huge = size >= kHugePage;
  void* block = ::operator new(size, std::align_val_t(huge ? kHugePage : kBlockAlign), std::nothrow);
  if (block && huge) madvise(block, size, MADV_HUGEPAGE);  // a batch is touched page by page every step
  return static_cast<std::byte*>(block);
}

void system_free(std::byte* block, size_t size) {
  ::operator delete(block, std::align_val_t(size >= kHugePage ? kHugePage : kBlockAlign));
}

}  // namespace

std::shared_ptr<HostPool> HostPool::process() {
  // Blocks hold a share of the pool, so it dies after the last of them even when statics are torn down first.
  static const std::shared_ptr<HostPool> pool = std::make_shared<HostPool>();
  return pool;
}

HostPool::~HostPool() { free_idle_above(0); }

Buffer HostPool::allocate(size_t bytes) {
  size_t size = block_size(bytes);
  std::byte* block = nullptr;
  {
    std::lock_guard lock(mutex_);
    auto found = idle_.lower_bound(size);
    while (found != idle_.end() && found->second.empty()) ++found;
    if (found != idle_.end() && found->first <= kLoosest * size) {
      size = found->first;
      block = found->second.back();
      found->second.pop_back();
      idle_bytes_ -= size;
    } else if (limit_ && in_use_ + idle_bytes_ + size > limit_) {
      free_idle_above(0);
      PENSTOCK_CHECK(
          in_use_ + size <= limit_, PoolExhausted,
          "{} bytes of host memory are in use and {} more would pass the limit of {}; use a smaller batch or "
          "prefetch depth, let go of earlier batches, or raise the limit",
          in_use_, size, limit_);
    }
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
  }
  if (!block) block = system_allocate(size);
  if (!block) {
    std::lock_guard lock(mutex_);
    in_use_ -= size;
    fail<PoolExhausted>("the system has no {} bytes of memory for a batch", size);
  }
  auto owner = std::shared_ptr<void>(
      block, [pool = shared_from_this(), size](void* p) { pool->release(static_cast<std::byte*>(p), size); });
  return {std::move(owner), block, size};
}

void HostPool::release(std::byte* block, size_t size) {
  std::lock_guard lock(mutex_);
  in_use_ -= size;
  idle_[size].push_back(block);
  idle_bytes_ += size;
  // Follow the demand down slowly: a block a release, from the high-water mark towards what is in use.
  peak_ = std::max(in_use_, peak_ - std::min(peak_, size / 16));
  // A quarter more than that mark, which comes down a little while a batch is on its way from release to reuse.
  const size_t keep = peak_ + peak_ / 4;
  free_idle_above(std::max(kAlwaysKeep, keep - std::min(keep, in_use_)));
}

void HostPool::free_idle_above(size_t bytes) {
  // Smallest first: many small blocks are cheap to make again, one large one is not.
  for (auto it = idle_.begin(); idle_bytes_ > bytes && it != idle_.end();) {
    if (it->second.empty()) {
      it = idle_.erase(it);
      continue;
    }
    system_free(it->second.back(), it->first);
    it->second.pop_back();
    idle_bytes_ -= it->first;
  }
}

void HostPool::set_limit(size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

void HostPool::trim() {
  std::lock_guard lock(mutex_);
  free_idle_above(0);
}

size_t HostPool::in_use() const {
  std::lock_guard lock(mutex_);
  return in_use_;
}

size_t HostPool::idle() const {
  std::lock_guard lock(mutex_);
  return idle_bytes_;
}

size_t HostPool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

}  // namespace penstock
