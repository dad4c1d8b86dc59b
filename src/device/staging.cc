#include "device/staging.h"

#include <algorithm>
#include <utility>

#include "core/block_size.h"
#include "core/brief_lock.h"
#include "core/out_of_memory.h"

namespace penstock::device {
namespace {

// A copy costs some microseconds whatever its size, at 55 GB/s as long as half a megabyte takes.
constexpr size_t kChunk = size_t{8} << 20;
// A thread's room, and what is too large for it. A room is given up with what is left of it, which is copied all the
// same.
constexpr size_t kRoom = 8192, kLarge = kRoom / 4;

size_t aligned(size_t bytes) { return rounded_up(std::max<size_t>(bytes, 1), StagingMemory::kAlign); }

}  // namespace

StagingMemory::StagingMemory(Device& device, Stream stream, size_t expected)
    : device_(device), stream_(stream), first_bytes_(std::max(block_size(expected), kChunk)) {
  if (!expected) return;
  try {
    open_chunk(first_bytes_);  // all workers of a batch come at once, and would wait for one of them
  } catch (const PoolExhausted&) {
    // This batch may need less, and in small blocks the same fits under a limit where one did not.
    first_bytes_ = kChunk;
  }
}

StagingPlace StagingMemory::take(size_t bytes) {
  bytes = aligned(bytes);
  if (const auto place = take_from(open_.load(std::memory_order_acquire), bytes)) return *place;
  const auto lock = lock_brief(mutex_);
  if (const auto place = take_from(open_.load(std::memory_order_relaxed), bytes))
    return *place;  // another worker opened one
  open_chunk(std::max(bytes, chunks_.empty() ? first_bytes_ : kChunk), bytes);
  return {chunks_.back().host.data, chunks_.back().device.data};
}

void StagingMemory::open_chunk(size_t bytes, size_t taken) {
  Buffer host = device_.pinned().allocate(bytes, nullptr), device = device_.memory().allocate(bytes, stream_);
  Chunk& chunk = chunks_.emplace_back();
  chunk.host = std::move(host);
  chunk.device = std::move(device);
  chunk.taken = taken;
  open_.store(&chunk, std::memory_order_release);
}

// Without a mutex: workers ask for each sample, and a thread that finds a mutex taken sleeps.
std::optional<StagingPlace> StagingMemory::take_from(Chunk* chunk, size_t bytes) const {
  if (!chunk) return std::nullopt;
  const size_t at = chunk->taken.fetch_add(bytes, std::memory_order_relaxed);
  if (at > chunk->host.size || chunk->host.size - at < bytes) return std::nullopt;
  return StagingPlace{chunk->host.data + at, chunk->device.data + at};
}

void StagingMemory::keep(Buffer block) {
  std::lock_guard lock(mutex_);
  kept_.push_back(std::move(block));
}

void StagingMemory::upload(std::span<const CopyJob> others, bool begins) {
  std::lock_guard lock(mutex_);
  std::vector<CopyJob> copies;
  for (const Buffer& block : kept_) block_of(block).read_on(stream_);
  for (Chunk& chunk : chunks_) {
    block_of(chunk.host).read_on(stream_);
    copies.push_back({.from = chunk.host.data, .to = chunk.device.data, .bytes = chunk.used()});
  }
  copies.insert(copies.end(), others.begin(), others.end());
  device_.runtime().copy_many(stream_, copies, begins ? Begin::kBehindOthers : Begin::kInOrder);
}

void StagingMemory::done() {
  std::lock_guard lock(mutex_);
  for (const Chunk& chunk : chunks_) {  // what is kept may be others', too
    block_of(chunk.host).done_on(stream_);
    block_of(chunk.device).done_on(stream_);
  }
}

size_t StagingMemory::bytes() const {
  std::lock_guard lock(mutex_);
  size_t sum = 0;
  for (const Chunk& chunk : chunks_) sum += chunk.used();
  return sum;
}

StagingPlace Staging::take(size_t bytes) {
  bytes = aligned(bytes);
  if (bytes > kLarge) return memory_->take(bytes);
  if (bytes > left_) {
    room_ = memory_->take(kRoom);
    left_ = kRoom;  // not before: there may have been no room
  }
  left_ -= bytes;
  return {std::exchange(room_.host, room_.host + bytes), std::exchange(room_.device, room_.device + bytes)};
}

}  // namespace penstock::device
