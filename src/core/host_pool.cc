#include "core/host_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/block_size.h"
#include "core/brief_lock.h"
#include "core/check.h"
#include "core/fork.h"
#include "core/out_of_memory.h"

namespace penstock {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// From here on blocks are mapped. malloc maps such blocks, too, until one was freed; then it takes them from heaps of
// the threads, where they stay: 11 instead of 3 MB for batches of 200 digits.
constexpr size_t kMapped = size_t{128} << 10;
// A block up to so many times too large is taken before the system is asked. Batches of pictures whose sizes differ
// would otherwise keep as many blocks of each size as they ever needed at once.
constexpr size_t kLoosest = 2;

std::byte* map(size_t size) {
  void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : static_cast<std::byte*>(block);
}

std::byte* map_huge(size_t size) {
  std::byte* all = map(size + kHugePage);
  if (!all) return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(all) % kHugePage;
  if (before > 0) ::munmap(all, before);
  ::munmap(all + before + size, kHugePage - before);
  ::madvise(all + before, size, MADV_HUGEPAGE);  // a batch is touched page by page every step
  return all + before;
}

std::byte* system_allocate(size_t size) {
  if (size >= kHugePage) return map_huge(size);
  if (size >= kMapped) return map(size);
  return static_cast<std::byte*>(::operator new(size, std::align_val_t(kBlockAlign), std::nothrow));
}

void system_free(std::byte* block, size_t size) {
  if (size >= kMapped)
    ::munmap(block, size);
  else
    ::operator delete(block, std::align_val_t(kBlockAlign));
}

}  // namespace

const std::shared_ptr<HostPool> HostPool::made_at_load_ = [] {
  hold_over_forks([]() -> std::mutex& { return process()->mutex_; });
  return process();
}();

std::shared_ptr<HostPool> HostPool::process() {
  // Never destroyed: blocks are let go, and processes forked, after statics are torn down.
  static const auto& pool = *new auto(std::make_shared<HostPool>());
  return pool;
}

HostPool::~HostPool() { free_idle_above(0); }

Buffer HostPool::allocate(size_t bytes) {
  size_t size = block_size(bytes);
  std::byte* block = nullptr;
  {
    const auto lock = lock_brief(mutex_);
    if (limit_ && in_use_ + idle_bytes_ > limit_) free_idle_above(0);  // a limit that was lowered since
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
    trim();
    block = system_allocate(size);
  }
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
  const auto lock = lock_brief(mutex_);
  in_use_ -= size;
  idle_[size].push_back(block);
  idle_bytes_ += size;
  // Follow the demand down slowly: a block a release, from the high-water mark towards what is in use.
  peak_ = std::max(in_use_, peak_ - std::min(peak_, size / 16));
  // An eighth more than that mark, which comes down by a sixteenth while all of a batch is released before the next.
  const size_t keep = peak_ + peak_ / 8;
  free_idle_above(keep - std::min(keep, in_use_));
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
