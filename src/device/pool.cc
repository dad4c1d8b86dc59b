#include "device/pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/block_size.h"
#include "core/brief_lock.h"
#include "core/check.h"
#include "core/out_of_memory.h"

namespace penstock::device {
namespace {

// So many bytes in pinned blocks of a size may wait for the GPU. A program that never waits would otherwise run ahead
// of a slow GPU until the system's memory is pinned; this is where it waits.
constexpr size_t kMostWaiting = size_t{256} << 20;

}  // namespace

Pool::~Pool() { free_idle(); }

Buffer Pool::allocate(size_t bytes, Stream stream) {
  const size_t size = block_size(bytes);
  const auto lock = lock_brief(mutex_);
  if (limit_ && in_use_ + idle_bytes_ > limit_) free_idle();  // a limit that was lowered since
  void* data = take_idle(size, stream);
  if (!data) data = make(size);
  in_use_ += size;
  std::shared_ptr<Block> block(new Block(shared_from_this(), data, size, stream), Block::Delete());
  const bool pinned = where_ == Memory::kPinned;
  return {std::move(block), static_cast<std::byte*>(data), size, pinned ? kHostMemory : id_, pinned};
}

Buffer Pool::lent(void* data, size_t bytes, Stream stream, std::shared_ptr<void> lender) {
  std::shared_ptr<Block> block(new Block(shared_from_this(), stream, std::move(lender)), Block::Delete());
  return {std::move(block), static_cast<std::byte*>(data), bytes, id_};
}

void* Pool::take_idle(size_t size, Stream stream) {
  const auto found = idle_.find(size);
  if (found == idle_.end() || found->second.empty()) return nullptr;
  std::vector<Idle>& blocks = found->second;
  auto block = std::find_if(blocks.begin(), blocks.end(), [&](Idle& b) { return readers_done(b); });
  if (block == blocks.end()) {
    block = blocks.begin();  // let go longest ago
    if (where_ == Memory::kPinned || !stream) {
      if (blocks.size() * size < kMostWaiting) return nullptr;
      for (Event reader : block->readers) runtime_->synchronize(reader);
      readers_done(*block);
    }
    for (; !block->readers.empty(); block->readers.pop_back()) {
      runtime_->wait(stream, block->readers.back());
      runtime_->give_back_event(block->readers.back());
    }
  }
  void* data = block->data;
  blocks.erase(block);
  idle_bytes_ -= size;
  return data;
}

bool Pool::readers_done(Idle& block) {
  for (size_t i = 0; i < block.readers.size();) {
    if (!runtime_->passed(block.readers[i])) {
      ++i;
      continue;
    }
    runtime_->give_back_event(block.readers[i]);
    block.readers[i] = block.readers.back();
    block.readers.pop_back();
  }
  return block.readers.empty();
}

void* Pool::make(size_t size) {
  if (limit_ && in_use_ + idle_bytes_ + size > limit_) {
    free_idle();
    PENSTOCK_CHECK(in_use_ + size <= limit_, PoolExhausted,
                   "{} bytes of {} memory are in use and {} more would pass the limit of {}; use a smaller batch or "
                   "prefetch depth, let go of earlier batches, or raise the limit",
                   in_use_, where_ == Memory::kPinned ? "pinned" : "GPU", size, limit_);
  }
  if (void* data = try_make(size)) return data;
  free_idle();
  if (void* data = try_make(size)) return data;
  refuse(size);
}

void* Pool::try_make(size_t size) {
  try {
    const NearNode near(node_);
    return runtime_->allocate(where_, size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Pool::refuse(size_t size) const {
  constexpr const char* kRemedy = "use a smaller batch or prefetch depth, or let go of earlier batches";
  if (where_ == Memory::kPinned)
    fail<PoolExhausted>("the system has no {} bytes of pinned memory for GPU {}, batches hold {}; {}", size, id_,
                        in_use_, kRemedy);
  fail<PoolExhausted>(
      "GPU {} has no {} bytes of memory for a batch: batches hold {}, and {} are free; {}, or let other libraries take "
      "less (JAX takes three quarters unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise)",
      id_, size, in_use_, runtime_->free_memory(), kRemedy);
}

void Pool::release(void* data, size_t size, const std::vector<Stream>& streams) noexcept {
  Idle block{.data = data, .readers = {}};
  try {
    block.readers = marked(streams);
    if (poison_) overwrite(data, size, block.readers);
  } catch (const std::exception&) {
    // A stream that is gone, or a lost device: nothing tells when this block may be written again.
    deallocate(block);
    block.data = nullptr;
  }
  const auto lock = lock_brief(mutex_);
  in_use_ -= size;
  if (!block.data) return;
  if (!keeps_) return deallocate(block);
  idle_bytes_ += size;
  idle_[size].push_back(std::move(block));
}

/// What is queued on `stream` from now on waits for what is queued on others by now.
void Pool::order(Stream stream, const std::vector<Stream>& behind) noexcept {
  try {
    for (Event event : marked(behind)) {
      runtime_->wait(stream, event);
      runtime_->give_back_event(event);
    }
  } catch (const std::exception&) {
    // The device is lost: it does nothing any more.
  }
}

/// Events behind all that is queued on the streams by now.
std::vector<Event> Pool::marked(const std::vector<Stream>& streams) {
  std::vector<Event> events;
  try {
    events.reserve(streams.size());
    for (Stream stream : streams) runtime_->record(events.emplace_back(runtime_->take_event(stream)), stream);
  } catch (const std::exception&) {
    for (Event event : events) runtime_->give_back_event(event);
    throw;
  }
  return events;
}

void Pool::overwrite(void* data, size_t size, std::vector<Event>& readers) {
  for (Event reader : readers) {
    runtime_->wait(poison_, reader);
    runtime_->give_back_event(reader);
  }
  readers.clear();
  runtime_->fill(poison_, data, 0xff, size);
  readers = marked({poison_});
}

void Pool::deallocate(Idle& block) noexcept {
  for (Event reader : block.readers) runtime_->give_back_event(reader);
  // Freeing waits for the device, so readers are done.
  runtime_->deallocate(where_, block.data);
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
void Pool::keep(bool blocks) {
  std::lock_guard lock(mutex_);
  keeps_ = blocks;
  if (!keeps_) free_idle();
}
void Pool::poison() { poison_ = runtime_->make_stream(0); }
size_t Pool::in_use() const {
  std::lock_guard lock(mutex_);
  return in_use_;
}
size_t Pool::idle() const {
  std::lock_guard lock(mutex_);
  return idle_bytes_;
}
size_t Pool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

Block::Block(std::shared_ptr<Pool> pool, Stream stream, std::shared_ptr<void> lender)
    : pool_(std::move(pool)),
      lender_(std::move(lender)),
      lenders_stream_(stream),
      ready_(pool_->marked({stream}).front()),
      writer_(stream) {}

Block::~Block() {
  if (ready_) pool_->runtime_->give_back_event(ready_);
  if (data_)
    pool_->release(data_, size_, streams_);
  else
    pool_->order(lenders_stream_, streams_);
}

void Block::written_on(Stream stream) {
  std::lock_guard lock(mutex_);
  if (ready_ && writer_ != stream) pool_->runtime_->give_back_event(std::exchange(ready_, nullptr));
  if (!ready_) ready_ = pool_->runtime_->take_event(stream);
  writer_ = stream;
  pool_->runtime_->record(ready_, stream);
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) streams_.push_back(stream);
}

void Block::read_on(Stream stream) {
  std::lock_guard lock(mutex_);
  const bool known = std::find(streams_.begin(), streams_.end(), stream) != streams_.end();
  if (ready_ && !known) pool_->runtime_->wait(stream, ready_);
  if (!known) streams_.push_back(stream);
}

void Block::done_on(Stream stream) {
  std::lock_guard lock(mutex_);
  if (ready_ && writer_ == stream) pool_->runtime_->give_back_event(std::exchange(ready_, nullptr));
  std::erase(streams_, stream);
}

void Block::synchronize() {
  std::lock_guard lock(mutex_);
  if (ready_) pool_->runtime_->synchronize(ready_);
}

bool Block::is_done() {
  std::lock_guard lock(mutex_);
  return streams_.empty();
}

}  // namespace penstock::device
