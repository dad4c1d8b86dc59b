#include "device/staging.h"

#include <algorithm>

namespace penstock::device {
namespace {

// A copy costs some microseconds whatever its size, at 55 GB/s as long as half a megabyte takes.
constexpr size_t kChunk = size_t{8} << 20;
constexpr size_t kAlign = 64;

}  // namespace

Staging::Place Staging::take(size_t bytes) {
  bytes = (std::max<size_t>(bytes, 1) + kAlign - 1) / kAlign * kAlign;
  std::lock_guard lock(mutex_);
  if (chunks_.empty() || chunks_.back().host.size - chunks_.back().used < bytes) {
    const size_t size = std::max(bytes, kChunk);
    chunks_.push_back(
        {.host = device_.pinned().allocate(size, nullptr), .device = device_.memory().allocate(size, stream_)});
  }
  Chunk& chunk = chunks_.back();
  const Place place{chunk.host.data + chunk.used, chunk.device.data + chunk.used};
  chunk.used += bytes;
  return place;
}

void Staging::keep(Buffer block) {
  std::lock_guard lock(mutex_);
  kept_.push_back(std::move(block));
}

void Staging::upload() {
  std::lock_guard lock(mutex_);
  for (const Buffer& block : kept_) block_of(block).read_on(stream_);
  for (Chunk& chunk : chunks_) {
    block_of(chunk.host).read_on(stream_);
    block_of(chunk.device).written_on(stream_);
    device_.backend().copy(stream_, chunk.device.data, chunk.host.data, chunk.used);
  }
}

size_t Staging::bytes() const {
  std::lock_guard lock(mutex_);
  size_t sum = 0;
  for (const Chunk& chunk : chunks_) sum += chunk.used;
  return sum;
}

}  // namespace penstock::device
