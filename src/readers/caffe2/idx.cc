#include "readers/caffe2/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <span>

#include "core/check.h"
#include "readers/file/posix_file.h"

namespace penstock {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr uint64_t kChunk = 1 << 20;

struct CloseGz {
  void operator()(gzFile file) const { ::gzclose(file); }
};

class IdxFile {
 public:
  explicit IdxFile(const std::string& path) : path_(path), file_(::gzopen(path.c_str(), "rb")) {
    PENSTOCK_CHECK(file_, ArgumentError, "cannot open {}: {}", path, system_message(errno));
  }
  void read(std::span<uint8_t> out) {
    const size_t n = read_some(out);
    PENSTOCK_CHECK(n == out.size(), DataError, "{} ends too early", path_);
  }
  bool at_end() {
    uint8_t byte;
    return read_some({&byte, 1}) == 0;
  }

 private:
  size_t read_some(std::span<uint8_t> out) {
    const int n = ::gzread(file_.get(), out.data(), static_cast<unsigned>(out.size()));
    PENSTOCK_CHECK(n >= 0, DataError, "cannot decompress {}", path_);
    return static_cast<size_t>(n);
  }
  const std::string& path_;
  std::unique_ptr<gzFile_s, CloseGz> file_;
};

}  // namespace

IdxArray read_idx(const std::string& path) {
  IdxFile file(path);
  std::array<uint8_t, 4> word;
  file.read(word);
  PENSTOCK_CHECK(word[0] == 0 && word[1] == 0 && word[3] >= 1 && word[3] <= kMaxDims, DataError, "{} is no IDX file",
                 path);
  PENSTOCK_CHECK(word[2] == kUnsignedByte, DataError,
                 "{} holds elements of IDX type {:#04x}; only bytes (0x08) are read", path, word[2]);
  IdxArray array;
  uint64_t size = 1;
  for (int dims = word[3]; dims > 0; --dims) {
    file.read(word);
    const uint32_t extent = uint32_t{word[0]} << 24 | uint32_t{word[1]} << 16 | uint32_t{word[2]} << 8 | word[3];
    array.shape.push_back(extent);
    PENSTOCK_CHECK(!__builtin_mul_overflow(size, extent, &size) && size < uint64_t{1} << 62, DataError,
                   "{}: extents {} are impossible", path, to_string(array.shape));
  }
  // Memory grows with what is really there, not with what the head promises.
  while (array.data.size() < size) {
    const size_t done = array.data.size();
    array.data.resize(done + std::min(kChunk, size - done));
    file.read(std::span(array.data).subspan(done));
  }
  PENSTOCK_CHECK(file.at_end(), DataError, "{} goes on behind its {} bytes of data", path, size);
  return array;
}

}  // namespace penstock
