#include "readers/remote/curl.h"

#include <dlfcn.h>

#include <optional>

#include "core/check.h"
#include "core/lazy.h"

namespace penstock::remote {
namespace {

constexpr const char* kName = "libcurl.so.4";

struct Opened {
  std::optional<Curl> curl;
  std::string why_not;
};

template <class Function>
bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Opened open() {
  void* const library = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);  // never closed: its threads run its code
  if (!library) return {{}, ::dlerror()};
  Curl curl{};
  const bool whole =
      find(library, curl.global_init, "curl_global_init") && find(library, curl.easy_init, "curl_easy_init") &&
      find(library, curl.easy_reset, "curl_easy_reset") && find(library, curl.easy_cleanup, "curl_easy_cleanup") &&
      find(library, curl.easy_setopt, "curl_easy_setopt") && find(library, curl.easy_getinfo, "curl_easy_getinfo") &&
      find(library, curl.easy_perform, "curl_easy_perform") &&
      find(library, curl.easy_strerror, "curl_easy_strerror") &&
      find(library, curl.slist_append, "curl_slist_append") &&
      find(library, curl.slist_free_all, "curl_slist_free_all") && find(library, curl.version, "curl_version");
  if (!whole) return {{}, ::dlerror()};
  if (curl.global_init(option::kGlobalDefault) != 0) return {{}, "curl_global_init failed"};
  return {curl, {}};
}

const Opened& opened() {
  static const Lazy<Opened> once;
  return once.get(open);
}

}  // namespace

const Curl& Curl::get() {
  PENSTOCK_CHECK(opened().curl, DataError,
                 "URLs are read by libcurl, which is not there ({}); install it: apt install libcurl4 (on Ubuntu 24.04 "
                 "and Debian 13: libcurl4t64)",
                 opened().why_not);
  return *opened().curl;
}

std::string Curl::status() {
  if (!opened().curl) return fmt::format("no {}", opened().why_not);
  const std::string version = opened().curl->version();  // "libcurl/7.88.1 OpenSSL/3.0.19 ..."
  return version.substr(0, version.find(' '));
}

}  // namespace penstock::remote
