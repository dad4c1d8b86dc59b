// Blocks of device or pinned memory, recycled. A block whose holder has let go may still be read by work that is queued
// on some stream; it is not written again before that work is done, and no host thread waits for it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <penstock/tensor.h>

#include "core/numa.h"
#include "device/runtime.h"

namespace penstock::device {

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  /// @param where  device memory is written by streams: a new writer's stream waits for old readers. Pinned memory is
  ///               written by the host: only blocks whose readers are done are given out.
  /// @param node   whose memory is pinned, if there is room
  Pool(std::shared_ptr<Runtime> runtime, Memory where, int device, int node = kAnyNode)
      : runtime_(std::move(runtime)), where_(where), id_(device), node_(node) {}
  ~Pool();

  /// At least `bytes`, aligned to 256, to be written by work on `stream` (by the host, for pinned memory). Null for
  /// what waits for no stream: it gets blocks whose readers are done, as the host does.
  /// @throws PoolExhausted with the numbers
  Buffer allocate(size_t bytes, Stream stream);
  /// Device memory that `lender` owns and that its work, queued on `stream` by now, may still be using: a writer calls
  /// read_on() before it writes. Once all holders have let go, work queued on `stream` from then on waits for theirs,
  /// and `lender` is released.
  Buffer lent(void* data, size_t bytes, Stream stream, std::shared_ptr<void> lender);
  /// Bytes that may be held at a time, in use and idle; 0 means no limit.
  void set_limit(size_t bytes);
  /// Gives idle blocks back to the system.
  void trim();
  /// Whether blocks are kept for reuse when they are let go, as they are to begin with. Otherwise they go back to the
  /// system, as idle ones do at once.
  void keep(bool blocks);
  /// Overwrites device blocks with 0xff (NaN, in floating point) when their last reader is done: so that a read after
  /// that shows, which otherwise depends on luck.
  void poison();
  size_t in_use() const;
  size_t idle() const;
  size_t limit() const;

 private:
  friend class Block;
  struct Idle {
    void* data = nullptr;
    std::vector<Event> readers;
  };
  void* take_idle(size_t size, Stream stream);
  void* make(size_t size);
  void* try_make(size_t size);
  [[noreturn]] void refuse(size_t size) const;
  std::vector<Event> marked(const std::vector<Stream>& streams);
  void overwrite(void* data, size_t size, std::vector<Event>& readers);
  void release(void* data, size_t size, const std::vector<Stream>& streams) noexcept;
  void order(Stream stream, const std::vector<Stream>& behind) noexcept;
  void deallocate(Idle& block) noexcept;
  void free_idle();
  bool readers_done(Idle& block);

  const std::shared_ptr<Runtime> runtime_;
  const Memory where_;
  const int id_, node_;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Idle>> idle_;
  size_t in_use_ = 0, idle_bytes_ = 0, limit_ = 0;
  bool keeps_ = true;
  Stream poison_ = nullptr;  // the stream that overwrites
};

/// What owns a buffer that a Pool gave out.
class Block {
 public:
  /// @param writer the stream whose work will write the block, if it is one's
  Block(std::shared_ptr<Pool> pool, void* data, size_t size, Stream writer)
      : pool_(std::move(pool)), data_(data), size_(size) {
    if (writer) streams_.push_back(writer);  // at once: work that is queued before an error may write it all the same
  }
  /// Of memory that is lent.
  Block(std::shared_ptr<Pool> pool, Stream stream, std::shared_ptr<void> lender);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  /// By whose type a buffer's owner is known to be a Block.
  struct Delete {
    void operator()(Block* block) const { delete block; }
  };

  /// The block's contents are complete once what is queued on `stream` by now is done.
  void written_on(Stream stream);
  /// Work queued on `stream` from now on may read the block: it waits for the writer, and until the block has been
  /// let go and that work is done, the pool lets nothing write the block.
  void read_on(Stream stream);
  /// The host has seen that all that was queued on `stream` for the block is done: nothing need wait for it any more.
  void done_on(Stream stream);
  /// The host waits for the writer.
  void synchronize();
  /// Whether the host has seen so of all work: the block may be read by whatever means.
  bool is_done();
  /// Whose memory it is; null: the pool's.
  const std::shared_ptr<void>& lender() const { return lender_; }

 private:
  const std::shared_ptr<Pool> pool_;
  const std::shared_ptr<void> lender_;
  const Stream lenders_stream_ = nullptr;
  void* const data_ = nullptr;  // null: it is lent
  const size_t size_ = 0;
  std::mutex mutex_;
  Event ready_ = nullptr;
  Stream writer_ = nullptr;
  std::vector<Stream> streams_;  // that wrote or read it: behind the writer
};

/// The block behind a buffer in GPU memory or pinned memory.
inline Block& block_of(const Buffer& buffer) { return *static_cast<Block*>(buffer.owner.get()); }

/// Likewise for a buffer that may be another library's memory, or ordinary memory: then null.
inline Block* pool_block(const Buffer& buffer) {
  return std::get_deleter<Block::Delete>(buffer.owner) ? &block_of(buffer) : nullptr;
}

}  // namespace penstock::device
