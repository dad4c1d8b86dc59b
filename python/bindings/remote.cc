#include "remote.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "core/check.h"
#include "readers/file/io_threads.h"
#include "readers/file/posix_file.h"
#include "readers/remote/cache.h"
#include "readers/remote/curl.h"
#include "readers/remote/listing.h"

namespace penstock::bindings {
namespace {

namespace nb = nanobind;

/// A file that the user named, of a server as a rule, whose bytes Python asks for.
class NamedFile {
 public:
  explicit NamedFile(const std::string& path) : file_(opened(path)) {}
  int64_t size() const { return file_.size(); }
  // By which this process opens it anew, where it lies on this machine; else empty.
  std::string local_path() const {
    return file_.is_remote() ? std::string() : fmt::format("/proc/self/fd/{}", file_.fd());
  }

  // The bytes of each range (begin, size), asked for at the same time.
  std::vector<nb::bytes> read(const std::vector<std::pair<int64_t, int64_t>>& ranges) const {
    std::vector<std::string> parts(ranges.size());
    {
      const nb::gil_scoped_release released;
      on_io_threads(ranges.size(), [&](size_t i) {
        const auto [begin, size] = ranges[i];
        PENSTOCK_CHECK(begin >= 0 && size >= 0 && begin <= file_.size() && size <= file_.size() - begin, DataError,
                       "{} bytes at byte {} are wanted, the file has {}", size, begin, file_.size());
        parts[i].resize(static_cast<size_t>(size));
        file_.read(std::as_writable_bytes(std::span(parts[i])), begin);
      });
    }
    std::vector<nb::bytes> all;
    for (const std::string& part : parts) all.emplace_back(part.data(), part.size());
    return all;
  }

 private:
  static PosixFile opened(const std::string& path) {
    const nb::gil_scoped_release released;
    return PosixFile::open_named(path);
  }
  PosixFile file_;
};

std::pair<std::vector<std::string>, std::vector<std::string>> names_in(const std::string& url) {
  const nb::gil_scoped_release released;
  const remote::Listing listing = remote::list_folder(url);
  return {listing.folders, listing.files};
}

// (folder, bytes, limit, entries) of the cache; an empty folder where there is none.
auto cache_fill() {
  const std::shared_ptr<remote::Cache> cache = remote::Cache::get();
  if (!cache) return std::tuple(std::string(), int64_t{0}, int64_t{0}, int64_t{0});
  const remote::CacheFolder& folder = cache->folder();
  const auto [bytes, entries] = folder.fill();
  return std::tuple(folder.path(), bytes, folder.limit(), entries);
}

}  // namespace

void bind_remote(nb::module_& m) {
  using namespace nb::literals;
  m.def("url_library", &remote::Curl::status);
  m.def("cache_fill", &cache_fill);
  m.def("names_in", &names_in, "url"_a, "Names of the folders and of the files in a folder of a bucket.");
  nb::class_<NamedFile>(m, "NamedFile", "A file of a server: see docs/buckets.md.")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("size", &NamedFile::size)
      .def_prop_ro("local_path", &NamedFile::local_path)
      .def("read", &NamedFile::read, "ranges"_a, "The bytes of each range (begin, size), asked for at the same time.");
}

}  // namespace penstock::bindings
