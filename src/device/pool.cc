#include "device/pool.h"

#include <algorithm>
#include <new>

#include "core/block_size.h"
#include "core/check.h"

namespace penstock::device {

Pool::~Pool() { free_idle(); }

Buffer Pool::allocate(size_t bytes, Stream stream) {
  const size_t size = block_size(bytes);
  std::lock_guard lock(mutex_);
  void* data = take_idle(size, stream);
  if (!data) data = make(size);
  in_use_ += size;
  auto block = std::make_shared<Block>(shared_from_this(), data, size);
  const bool pinned = kind_ == Kind::kPinned;
  return {std::move(block), static_cast<std::byte*>(data), size, pinned ? kHostMemory : id_, pinned};
}

void* Pool::take_idle(size_t size, Stream stream) {
  const auto found = idle_.find(size);
  if (found == idle_.end() || found->second.empty()) return nullptr;
  std::vector<Idle>& blocks = found->second;
  auto block = std::find_if(blocks.begin(), blocks.end(), [&](Idle& b) { return readers_done(b); });
  if (block == blocks.end()) {
    if (kind_ == Kind::kPinned) return nullptr;
    block = blocks.begin();  // let go longest ago
    for (Event reader : block->readers) {
      backend_->wait(stream, reader);
      backend_->destroy_event(reader);
    }
  }
  void* data = block->data;
  blocks.erase(block);
  idle_bytes_ -= size;
  return data;
}

bool Pool::readers_done(Idle& block) {
  std::erase_if(block.readers, [&](Event reader) {
    const bool done = backend_->passed(reader);
    if (done) backend_->destroy_event(reader);
    return done;
  });
  return block.readers.empty();
}

void* Pool::make(size_t size) {
  const char* where = kind_ == Kind::kDevice ? "GPU" : "pinned";
  if (limit_ && in_use_ + idle_bytes_ + size > limit_) {
    free_idle();
    PENSTOCK_CHECK(in_use_ + size <= limit_, OutOfMemory,
                   "{} bytes of {} memory are in use and {} more would pass the limit of {}; use a smaller batch or "
                   "prefetch depth, let go of earlier batches, or raise the limit",
                   in_use_, where, size, limit_);
  }
  for (bool last : {false, true}) {
    try {
      return kind_ == Kind::kDevice ? backend_->allocate(size) : backend_->allocate_pinned(size);
    } catch (const std::bad_alloc&) {
      if (!last) {
        free_idle();
        continue;
      }
    }
  }
  fail<OutOfMemory>("GPU {} has no {} bytes of {} memory left for a batch ({} are in use by batches)", id_, size, where,
                    in_use_);
}

void Pool::release(void* data, size_t size, const std::vector<Stream>& streams) noexcept {
  Idle block{.data = data, .readers = {}};
  try {
    block.readers.reserve(streams.size());
    for (Stream stream : streams) {
      backend_->record(block.readers.emplace_back(backend_->make_event()), stream);
    }
  } catch (const std::exception&) {
    // A stream that is gone, or a lost device: nobody can say when this block may be written again.
    deallocate(block);
    block.data = nullptr;
  }
  std::lock_guard lock(mutex_);
  in_use_ -= size;
  if (!block.data) return;
  idle_bytes_ += size;
  idle_[size].push_back(std::move(block));
}

void Pool::deallocate(Idle& block) noexcept {
  for (Event reader : block.readers) backend_->destroy_event(reader);
  // Freeing waits for the device, so readers are done.
  if (kind_ == Kind::kDevice) backend_->deallocate(block.data);
  if (kind_ == Kind::kPinned) backend_->deallocate_pinned(block.data);
}

void Pool::free_idle() {
  for (auto& [size, blocks] : idle_)
    for (Idle& block : blocks) deallocate(block);
  idle_.clear();
  idle_bytes_ = 0;
}

void Pool::set_limit(size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}
void Pool::trim() {
  std::lock_guard lock(mutex_);
  free_idle();
}
size_t Pool::in_use() const {
  std::lock_guard lock(mutex_);
  return in_use_;
}
size_t Pool::idle() const {
  std::lock_guard lock(mutex_);
  return idle_bytes_;
}

Block::~Block() {
  if (ready_) pool_->backend_->destroy_event(ready_);
  pool_->release(data_, size_, streams_);
}

void Block::written_on(Stream stream) {
  std::lock_guard lock(mutex_);
  if (!ready_) ready_ = pool_->backend_->make_event();
  pool_->backend_->record(ready_, stream);
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) streams_.push_back(stream);
}

void Block::read_on(Stream stream) {
  std::lock_guard lock(mutex_);
  const bool known = std::find(streams_.begin(), streams_.end(), stream) != streams_.end();
  if (ready_ && !known) pool_->backend_->wait(stream, ready_);
  if (!known) streams_.push_back(stream);
}

void Block::synchronize() {
  std::lock_guard lock(mutex_);
  if (ready_) pool_->backend_->synchronize(ready_);
}

}  // namespace penstock::device
