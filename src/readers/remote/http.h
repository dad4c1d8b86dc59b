// Requests over HTTP: tried again until they are answered whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "readers/remote/target.h"

namespace penstock::remote {

/// What a server answered about bytes of a file.
struct Answer {
  int64_t size = 0;        ///< bytes of the whole file
  size_t got = 0;          ///< bytes written
  std::string etag;        ///< version of the file, where the server names it: ETag, or when it was last changed
  bool whole = false;      ///< the server has sent all of the file, whatever was asked for
  bool unchanged = false;  ///< 304: the file is the one whose ETag If-None-Match among the headers names; all else is 0
};

/// Memory for an answer's body whose length is not known before. @throws DataError beyond `limit` bytes
class Body {
 public:
  explicit Body(int64_t limit) : limit_(limit) {}
  std::string bytes;
  bool append(const char* data, size_t size) {
    if (static_cast<int64_t>(bytes.size() + size) > limit_) return false;
    bytes.append(data, size);
    return true;
  }

 private:
  int64_t limit_;
};

/// How often a request is tried: for what is needed, and for what is only asked for ahead, where no thread should wait
/// long.
constexpr int kTries = 10, kTriesAhead = 2;

/// Bytes [begin, begin + size) of a file into `out`, or as many as the file has behind `begin`; with size -1 all of it.
/// Connections stay open for the calling thread's next request. Any thread.
/// Failed connections, answers that are cut off or of another range, and statuses 408, 429 and 5xx are tried again,
/// later each time, `tries` times in all. @throws DataError that says what the server answered last
Answer get(const Target& target, int64_t begin, int64_t size, Body& out, int tries = kTries);

}  // namespace penstock::remote
