#include "readers/remote/curl.h"

#include <optional>

#include "core/check.h"
#include "core/lazy.h"
#include "core/shared_library.h"

namespace penstock::remote {
namespace {

struct Opened {
  std::optional<Curl> curl;
  std::string why_not;
};

Opened open() {
  SharedLibrary library({"libcurl.so.4"});
  Curl curl{};
  library.find(curl.global_init, "curl_global_init");
  library.find(curl.easy_init, "curl_easy_init");
  library.find(curl.easy_reset, "curl_easy_reset");
  library.find(curl.easy_cleanup, "curl_easy_cleanup");
  library.find(curl.easy_setopt, "curl_easy_setopt");
  library.find(curl.easy_getinfo, "curl_easy_getinfo");
  library.find(curl.easy_perform, "curl_easy_perform");
  library.find(curl.easy_strerror, "curl_easy_strerror");
  library.find(curl.slist_append, "curl_slist_append");
  library.find(curl.slist_free_all, "curl_slist_free_all");
  library.find(curl.version, "curl_version");
  if (!library.why_not().empty()) return {{}, library.why_not()};
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
