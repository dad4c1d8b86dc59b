#include "codec/sound/library.h"

#include <dlfcn.h>

#include <string_view>

namespace penstock::codec::sound {
namespace {

Library open_library() {
  Library library;
  void* const handle =
      ::dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: samples may be in the making
  if (!handle) {
    library.why = std::string("libsndfile, which reads sound, cannot be opened; run: apt-get install libsndfile1 (") +
                  ::dlerror() + ")";
    return library;
  }
  const auto find = [&]<class Fn>(Fn*& function, const char* name) {
    function = reinterpret_cast<Fn*>(::dlsym(handle, name));
    if (!function) library.why = std::string("the libsndfile that was found has no ") + name;
  };
  const char* (*version)() = nullptr;
  find(library.open, "sf_open_virtual");
  find(library.close, "sf_close");
  find(library.error, "sf_strerror");
  find(library.seek, "sf_seek");
  find(library.read_float, "sf_readf_float");
  find(library.read_short, "sf_readf_short");
  find(library.read_int, "sf_readf_int");
  find(version, "sf_version_string");
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
