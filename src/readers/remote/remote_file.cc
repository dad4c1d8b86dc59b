#include "readers/remote/remote_file.h"

#include <algorithm>
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
// What a server that knows no ranges may send for a file that is read as a whole.
constexpr int64_t kLargestWhole = int64_t{1} << 30;

/// Of all data sets of the process.
Budget& budget() {
  static Budget all(static_cast<int64_t>(usable_memory() / 16));
  return all;
}

}  // namespace

RemoteFile::RemoteFile(std::string url, int64_t first, int tries)
    : url_(std::move(url)), target_(target_of(url_)), ahead_(budget()) {
  Body body(first == kWholeFiles ? kLargestWhole : first);
  const Answer answer = get(target_, 0, first, body, tries);
  size_ = answer.size;
  etag_ = answer.etag;
  head_ = std::move(body.bytes);
}

RemoteFiles::RemoteFiles() : ahead_(budget()) {}

RemoteFilePtr RemoteFiles::open(const std::string& url) {
  if (auto prepared = ahead_.take(url)) return prepared;
  return std::make_shared<const RemoteFile>(url, RemoteFile::kWholeFiles, kTries);
}

void RemoteFiles::will_open(const std::string& url) noexcept {
  try {
    ahead_.prepare(url, RemoteFile::kWholeFiles,
                   [&] { return std::make_shared<const RemoteFile>(url, RemoteFile::kWholeFiles, kTriesAhead); });
  } catch (...) {
    // Opening it will meet the same error, where it can be reported.
  }
}

std::string RemoteFile::part(int64_t begin, int64_t size, int tries) const {
  Body body(size);
  const Answer answer = get(target_, begin, size, body, tries);
  PENSTOCK_CHECK(answer.size == size_ && answer.etag == etag_, DataError,
                 "the file was replaced on the server while being read: it had {} bytes and has {}", size_,
                 answer.size);
  PENSTOCK_CHECK(static_cast<int64_t>(answer.got) == size, DataError, "{} of {} bytes arrived", answer.got, size);
  return std::move(body.bytes);
}

void RemoteFile::read(std::span<std::byte> out, int64_t begin) const {
  const auto size = static_cast<int64_t>(out.size());
  PENSTOCK_CHECK(begin >= 0 && size <= size_ - begin, DataError, "the file has {} bytes, bytes {} to {} are wanted",
                 size_, begin, begin + size);
  const int64_t in_head = std::clamp<int64_t>(static_cast<int64_t>(head_.size()) - begin, 0, size);
  if (in_head > 0) std::memcpy(out.data(), head_.data() + begin, static_cast<size_t>(in_head));
  if (in_head == size) return;
  if (const auto prepared = ahead_.take(fmt::format("{}-{}", begin, size))) {
    std::memcpy(out.data(), prepared->data(), out.size());
    return;
  }
  const int64_t rest = size - in_head;
  on_io_threads(static_cast<size_t>((rest + kPart - 1) / kPart), [&](size_t i) {
    const int64_t at = in_head + static_cast<int64_t>(i) * kPart;
    const std::string bytes = part(begin + at, std::min(kPart, size - at), kTries);
    std::memcpy(out.data() + at, bytes.data(), bytes.size());
  });
}

void RemoteFile::will_need(int64_t begin, int64_t size) const noexcept {
  if (begin + size <= static_cast<int64_t>(head_.size()) || begin < 0 || size > size_ - begin) return;
  try {
    ahead_.prepare(fmt::format("{}-{}", begin, size), size,
                   [&] { return std::make_shared<const std::string>(part(begin, size, kTriesAhead)); });
  } catch (...) {
    // The read itself will meet the same error, where it can be reported.
  }
}

}  // namespace penstock::remote
