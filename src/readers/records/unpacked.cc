#include "readers/records/unpacked.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "core/check.h"

namespace penstock {

/// Takes packed bytes from the front of `in` and writes what they hold to the front of `out`.
class Unpacker::Stream {
 public:
  virtual ~Stream() = default;
  /// Takes and gives as much as it can; 0 bytes given and none taken means that more is needed.
  /// @throws DataError
  virtual size_t unpack(std::string_view& in, std::span<std::byte> out) = 0;
  /// Whether a stream may end here.
  virtual bool is_between() const = 0;
};

namespace {

constexpr size_t kPiece = size_t{256} << 10;

class GzipStream : public Unpacker::Stream {
 public:
  GzipStream() {
    constexpr int kGzipAlone = 16 + MAX_WBITS;
    if (::inflateInit2(&z_, kGzipAlone) != Z_OK) throw OutOfMemory("no memory to decompress with");
  }
  ~GzipStream() override { ::inflateEnd(&z_); }
  size_t unpack(std::string_view& in, std::span<std::byte> out) override {
    if (ended_ && !in.empty()) {
      PENSTOCK_CHECK(in[0] == '\x1f', DataError, "the compressed file is damaged: no gzip stream follows the first");
      ::inflateReset(&z_);
      ended_ = false;
    }
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z_.avail_in = static_cast<uInt>(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(out.data());
    z_.avail_out = static_cast<uInt>(std::min<size_t>(out.size(), 1U << 30));
    const uInt room = z_.avail_out;
    const int status = ::inflate(&z_, Z_NO_FLUSH);
    PENSTOCK_CHECK(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, DataError,
                   "the compressed file is damaged: {}", z_.msg != nullptr ? z_.msg : "no gzip stream");
    ended_ = status == Z_STREAM_END;
    in.remove_prefix(in.size() - z_.avail_in);
    return room - z_.avail_out;
  }
  bool is_between() const override { return ended_; }

 private:
  z_stream z_{};
  bool ended_ = false;
};

class ZstdStream : public Unpacker::Stream {
 public:
  ZstdStream() : z_(::ZSTD_createDStream()) {
    if (!z_) throw OutOfMemory("no memory to decompress with");
  }
  size_t unpack(std::string_view& in, std::span<std::byte> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t status = ::ZSTD_decompressStream(z_.get(), &to, &from);
    PENSTOCK_CHECK(!::ZSTD_isError(status), DataError, "the compressed file is damaged: {}",
                   ::ZSTD_getErrorName(status));
    if (from.pos > 0 || to.pos > 0) between_ = status == 0;
    in.remove_prefix(from.pos);
    return to.pos;
  }
  bool is_between() const override { return between_; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* z) const { ::ZSTD_freeDStream(z); }
  };
  std::unique_ptr<ZSTD_DStream, Free> z_;
  bool between_ = false;
};

}  // namespace

Packing packing_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return Packing::kGzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Packing::kZstd;
  return Packing::kNone;
}

Packing packing_of(const PosixFile& file) {
  std::array<char, 4> head{};
  if (file.size() < static_cast<int64_t>(head.size())) return Packing::kNone;
  file.read(std::as_writable_bytes(std::span(head)));
  return packing_of(std::string_view(head.data(), head.size()));
}

Unpacker::Unpacker(const PosixFile& file, Packing packing) : file_(file) {
  if (packing == Packing::kGzip)
    stream_ = std::make_unique<GzipStream>();
  else
    stream_ = std::make_unique<ZstdStream>();
}
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker::~Unpacker() = default;

bool Unpacker::refill() {
  const auto size = static_cast<size_t>(std::min<int64_t>(kPiece, file_.size() - next_));
  if (size == 0) return false;
  packed_.resize(size);
  file_.read(std::as_writable_bytes(std::span(packed_)), next_);
  next_ += static_cast<int64_t>(size);
  left_ = packed_;
  return true;
}

size_t Unpacker::read(std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const size_t before = left_.size();
    const size_t given = stream_->unpack(left_, out.subspan(done));
    done += given;
    if (given > 0 || left_.size() < before || refill()) continue;
    PENSTOCK_CHECK(stream_->is_between(), DataError, "the compressed file was cut off: it ends within a stream");
    break;
  }
  position_ += static_cast<int64_t>(done);
  return done;
}

std::string unpacked(const PosixFile& file, Packing packing, int64_t size) {
  Unpacker unpacker(file, packing);
  std::string all;
  constexpr int64_t kStep = int64_t{64} << 20;  // what the file does not hold, no memory is taken for
  while (static_cast<int64_t>(all.size()) < size) {
    const size_t held = all.size();
    all.resize(static_cast<size_t>(std::min(size, static_cast<int64_t>(held) + kStep)));
    const size_t given = unpacker.read(std::as_writable_bytes(std::span(all).subspan(held)));
    PENSTOCK_CHECK(held + given == all.size(), DataError,
                   "the index has a record that ends at byte {} of the unpacked file, which has {}", size,
                   held + given);
  }
  return all;
}

}  // namespace penstock
