#include "readers/remote/remote_file.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "core/check.h"
#include "core/usable_memory.h"
#include "readers/file/io_threads.h"
#include "readers/remote/ahead.h"
#include "readers/remote/http.h"

namespace penstock::remote {
namespace {

// Of one request: 8 MB take longer than the round trip that the next one costs, even at 1 GB/s.
constexpr int64_t kPart = int64_t{8} << 20;
// What a server that knows no ranges may send for a sample's file.
constexpr int64_t kLargestWhole = int64_t{1} << 30;

/// Whether If-None-Match may name it: servers that have none tell when the file was changed, which is something else.
bool is_entity_tag(std::string_view etag) { return etag.ends_with('"'); }

std::string name_of(int64_t begin, int64_t size) { return fmt::format("{}-{}", begin, size); }

/// Of all data sets of the process.
Budget& budget() {
  static Budget all(static_cast<int64_t>(usable_memory() / 16));
  return all;
}

}  // namespace

RemoteFile::RemoteFile(std::string url, int64_t first, int tries)
    : target_(target_of(url)), cache_(Cache::get()), version_{.address = target_.url}, ahead_(budget()) {
  open(first, tries);
}

void RemoteFile::open(int64_t first, int tries) {
  std::optional<Opening> known = cache_ ? cache_->opening(version_.address, first) : std::nullopt;
  const auto take = [&](Opening& opening) { version_ = opening.version, head_ = std::move(opening.head); };
  // Samples are opened each epoch. Archives are opened once, when the data set is, and the server is asked each time.
  const bool is_sample = first != kRecords;
  if (known && is_sample && cache_->is_trusted(*known)) return take(*known);
  Target target = target_;
  if (known && is_entity_tag(known->version.etag)) target.headers.push_back("If-None-Match: " + known->version.etag);
  Body body(is_sample ? kLargestWhole : first);
  const Answer answer = get(target, 0, first, body, tries);
  if (!answer.unchanged) {
    version_.size = answer.size;
    version_.etag = answer.etag;
    head_ = std::move(body.bytes);
  } else {
    PENSTOCK_CHECK(known, DataError, "the server says that the file has not changed, though it was not asked that");
    take(*known);
    if (!is_sample) return;  // such an opening is never trusted, so its time is not read
  }
  if (!cache_) return;
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  cache_->keep_opening(first, {version_, now, head_}, known.has_value());
}

RemoteFiles::RemoteFiles() : ahead_(budget()) {}

RemoteFilePtr RemoteFiles::open(const std::string& url, int64_t first) {
  if (auto prepared = ahead_.take(url)) return prepared;
  return std::make_shared<const RemoteFile>(url, first, kTries);
}

void RemoteFiles::will_open(const std::string& url, int64_t first) noexcept {
  try {
    ahead_.prepare(url, first, [&] { return std::make_shared<const RemoteFile>(url, first, kTriesAhead); });
  } catch (...) {
    // Opening it will meet the same error, where it can be reported.
  }
}

std::string RemoteFile::fetched(int64_t begin, int64_t size, int tries) const {
  Body body(size);
  const Answer answer = get(target_, begin, size, body, tries);
  PENSTOCK_CHECK(answer.size == version_.size && answer.etag == version_.etag, DataError,
                 "the file was replaced on the server while being read: it had {} bytes and has {}", version_.size,
                 answer.size);
  PENSTOCK_CHECK(static_cast<int64_t>(answer.got) == size, DataError, "{} of {} bytes arrived", answer.got, size);
  return std::move(body.bytes);
}

std::string RemoteFile::part(int64_t begin, int64_t size, int tries) const {
  if (!cache_) return fetched(begin, size, tries);
  if (std::optional<std::string> kept = cache_->range(version_, begin, size)) return *std::move(kept);
  std::string bytes = fetched(begin, size, tries);
  cache_->keep_range(version_, begin, bytes);
  return bytes;
}

/// Whether the cache has the range, which it brings into memory.
bool RemoteFile::is_kept(Range range) const {
  if (!cache_) return false;
  for (int64_t at = 0; at < range.size; at += kPart)
    if (!cache_->will_need(version_, range.begin + at, std::min(kPart, range.size - at))) return false;
  return true;
}

/// What of a range does not lie in the first bytes: the same each time, so that it is found where it was kept.
RemoteFile::Range RemoteFile::behind_head(int64_t begin, int64_t size) const {
  const int64_t from = std::max(begin, std::min(begin + size, static_cast<int64_t>(head_.size())));
  return {from, begin + size - from};
}

PosixFile RemoteFile::local_copy() const {
  if (!cache_ || !cache_->keeps_whole_files()) return {};
  return cache_->file(version_, [&](const PosixFile& file) {
    std::atomic<bool> written = true;
    on_io_threads(static_cast<size_t>((version_.size + kPart - 1) / kPart), [&](size_t i) {
      const int64_t at = static_cast<int64_t>(i) * kPart;
      if (!written) return;
      const std::string bytes = fetched(at, std::min(kPart, version_.size - at), kTries);
      try {
        file.write(std::as_bytes(std::span(bytes)), at);
      } catch (const DataError&) {
        written = false;
      }
    });
    return written.load();
  });
}

void RemoteFile::read(std::span<std::byte> out, int64_t begin) const {
  const auto size = static_cast<int64_t>(out.size());
  PENSTOCK_CHECK(begin >= 0 && size <= version_.size - begin, DataError,
                 "the file has {} bytes, bytes {} to {} are wanted", version_.size, begin, begin + size);
  const Range rest = behind_head(begin, size);
  const int64_t in_head = size - rest.size;
  if (in_head > 0) std::memcpy(out.data(), head_.data() + begin, static_cast<size_t>(in_head));
  if (rest.size == 0) return;
  std::byte* const to = out.data() + in_head;
  if (const auto prepared = ahead_.take(name_of(rest.begin, rest.size))) {
    std::memcpy(to, prepared->data(), prepared->size());
    return;
  }
  on_io_threads(static_cast<size_t>((rest.size + kPart - 1) / kPart), [&](size_t i) {
    const int64_t at = static_cast<int64_t>(i) * kPart;
    const std::string bytes = part(rest.begin + at, std::min(kPart, rest.size - at), kTries);
    std::memcpy(to + at, bytes.data(), bytes.size());
  });
}

void RemoteFile::will_need(int64_t begin, int64_t size) const noexcept {
  if (begin < 0 || size > version_.size - begin) return;
  try {
    const Range rest = behind_head(begin, size);
    if (rest.size == 0 || is_kept(rest)) return;
    ahead_.prepare(name_of(rest.begin, rest.size), rest.size,
                   [&] { return std::make_shared<const std::string>(part(rest.begin, rest.size, kTriesAhead)); });
  } catch (...) {
    // The read itself will meet the same error, where it can be reported.
  }
}

}  // namespace penstock::remote
