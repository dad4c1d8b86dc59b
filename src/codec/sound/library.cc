#include "codec/sound/library.h"

#include <string_view>

#include "core/shared_library.h"

namespace penstock::codec::sound {
namespace {

Library open_library() {
  Library library;
  SharedLibrary opened({"libsndfile.so.1"});
  const char* (*version)() = nullptr;
  opened.find(library.open, "sf_open_virtual");
  opened.find(library.close, "sf_close");
  opened.find(library.error, "sf_strerror");
  opened.find(library.seek, "sf_seek");
  opened.find(library.read_float, "sf_readf_float");
  opened.find(library.read_short, "sf_readf_short");
  opened.find(library.read_int, "sf_readf_int");
  opened.find(version, "sf_version_string");
  if (!opened.why_not().empty())
    library.why =
        "libsndfile, which reads sound, cannot be used; run: apt-get install libsndfile1 (" + opened.why_not() + ")";
  const std::string_view words = version ? version() : "";  // "libsndfile-1.2.0"
  library.version = words.substr(words.find('-') + 1);
  return library;
}

}  // namespace

const Library& Library::get() {
  static const Library library = open_library();
  return library;
}

}  // namespace penstock::codec::sound
