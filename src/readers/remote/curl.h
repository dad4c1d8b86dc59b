// libcurl, which is opened when the first URL is: machines that read local files alone need not have it.
#pragma once

#include <string>

namespace penstock::remote {

/// The functions of libcurl that are used here, declared as curl/curl.h does.
struct Curl {
  struct Easy;
  struct List;

  int (*global_init)(long flags);
  Easy* (*easy_init)();
  void (*easy_reset)(Easy*);
  void (*easy_cleanup)(Easy*);
  int (*easy_setopt)(Easy*, int option, ...);
  int (*easy_getinfo)(Easy*, int info, ...);
  int (*easy_perform)(Easy*);
  const char* (*easy_strerror)(int code);
  List* (*slist_append)(List*, const char*);
  void (*slist_free_all)(List*);
  char* (*version)();

  /// @throws DataError that says which package is missing
  static const Curl& get();
  /// Its version, or why there is none, which begins with "no ".
  static std::string status();
};

/// Numbers of curl/curl.h, which no version changes.
namespace option {
constexpr int kUrl = 10002, kWriteData = 10001, kWriteFunction = 20011, kRange = 10007, kErrorBuffer = 10010,
              kUserAgent = 10018, kHttpHeader = 10023, kHeaderData = 10029, kHeaderFunction = 20079, kUserName = 10173,
              kPassword = 10174, kAwsSigV4 = 10305, kLowSpeedLimit = 19, kLowSpeedTime = 20, kFollowLocation = 52,
              kMaxRedirects = 68, kNoSignal = 99, kConnectTimeoutMs = 156, kProtocols = 181, kRedirectProtocols = 182,
              kTcpKeepAlive = 213, kPathAsIs = 234, kHttpVersion = 84;
constexpr int kInfoResponseCode = 0x200002;
constexpr long kHttp = 1, kHttps = 2, kHttp11 = 2, kGlobalDefault = 3;
}  // namespace option

}  // namespace penstock::remote
