#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/check.h"
#include "readers/file/posix_file.h"
#include "readers/reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ReadArgs {};

struct Opened : Local {
  PosixFile file;
};

/// The path that a sample's bytes spell. @throws DataError
std::string path_of(const TensorView& bytes) {
  const DType type = bytes.dtype;
  PENSTOCK_CHECK(type == DType::kUInt8 || type == DType::kInt8, TypeError,
                 "a path is given as the bytes of its text, of type uint8 or int8, got {}", name_of(type));
  PENSTOCK_CHECK(bytes.shape.ndim() == 1, ArgumentError, "a path is a list of bytes, got the shape {}",
                 to_string(bytes.shape));
  const auto size = static_cast<size_t>(bytes.shape[0]);
  const auto* text = reinterpret_cast<const char*>(bytes.data);
  const std::string path(text, size == 0 ? 0 : ::strnlen(text, size));  // C's end of a text may be among them
  PENSTOCK_CHECK(!path.empty(), DataError, "the path is empty");
  return path;
}

class ReadFile final : public SampleOperator<ReadArgs, Opened> {
 public:
  void infer(Sample& s) const override {
    const std::string path = path_of(s.in(0).tensor);
    PosixFile& file = state(s).file;
    naming_source([&] { return path; }, [&] { file = PosixFile::open(AT_FDCWD, path.c_str()); });
    char* kept = s.scratch_array<char>(path.size());
    std::ranges::copy(path, kept);
    Value& contents = s.out(0);
    contents.source = {kept, path.size()};
    contents.describe({.dtype = DType::kUInt8, .shape = {file.size()}, .layout = {}});
  }
  void run(Sample& s) const override {
    PosixFile& file = state(s).file;
    const TensorView& contents = s.out(0).tensor;
    naming_source([&] { return std::string(s.out(0).source); }, [&] { file.read({contents.data, contents.nbytes()}); });
    file = PosixFile();
  }
};

}  // namespace

[[gnu::cold]] void register_io_file_read(Registry& r) {
  r.add<ReadFile>("io.file.read")
      .doc("The bytes of the files whose paths are given.")
      .devices({"cpu"})
      .host_only("reads files")
      .input("filepaths", {}, "The path of a file: the bytes of its text, as uint8 or int8. They may end in a 0.")
      .reads_data()
      .holds("path")
      .output("contents", "All bytes of the file, as uint8.")
      .ignored("dont_use_mmap", ArgType::kBool, "Files are always read, never mapped.")
      .ignored("use_o_direct", ArgType::kBool, "Files are read through the page cache.");
}

}  // namespace penstock
