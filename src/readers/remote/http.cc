#include "readers/remote/http.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/check.h"
#include "core/random.h"
#include "readers/remote/credentials.h"
#include "readers/remote/curl.h"

namespace penstock::remote {
namespace {

using std::chrono::milliseconds;

// 0.1, 0.2, 0.4, ... 10, 10 seconds: 36 in all for ten tries, and in the mean three quarters of that.
constexpr milliseconds kFirstPause{100}, kLongestPause{10'000};
constexpr long kConnectMs = 10'000;
constexpr long kStallSeconds = 20;  // without a byte; then the connection counts as lost
constexpr size_t kErrorText = 4096;

/// Idle easy handles, each with its open connections, for the next request.
class Handles {
 public:
  /// A handle that is given back.
  class Lent {
   public:
    Lent(Handles& handles, Curl::Easy* easy) : handles_(handles), easy_(easy) {}
    ~Lent() { handles_.give_back(easy_); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Curl::Easy* get() const { return easy_; }

   private:
    Handles& handles_;
    Curl::Easy* easy_;
  };

  static Handles& all() {
    static Handles handles;
    return handles;
  }
  Lent take() {
    const std::lock_guard lock(mutex_);
    // Those of a parent share their connections with it: they are left alone.
    if (const pid_t here = ::getpid(); here != process_) idle_.clear(), process_ = here;
    if (idle_.empty()) {
      Curl::Easy* made = Curl::get().easy_init();
      PENSTOCK_CHECK(made, OutOfMemory, "libcurl has no memory for a connection");
      return {*this, made};
    }
    Curl::Easy* easy = idle_.back();
    idle_.pop_back();
    return {*this, easy};
  }

 private:
  void give_back(Curl::Easy* easy) {
    Curl::get().easy_reset(easy);  // which keeps connections
    const std::lock_guard lock(mutex_);
    if (process_ == ::getpid()) idle_.push_back(easy);
  }
  std::mutex mutex_;
  std::vector<Curl::Easy*> idle_;  // never freed: a process ends with its connections
  pid_t process_ = ::getpid();
};

class Headers {
 public:
  explicit Headers(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) list_ = Curl::get().slist_append(list_, line.c_str());
  }
  ~Headers() { Curl::get().slist_free_all(list_); }
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  Curl::List* list() const { return list_; }

 private:
  Curl::List* list_ = nullptr;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// "bytes 0-99/1234": where the range begins, and the size of the file. A range of no bytes is "bytes */1234".
struct ContentRange {
  std::optional<int64_t> begin, size;
};

ContentRange content_range(std::string_view text) {
  ContentRange range;
  const size_t slash = text.find('/'), dash = text.find('-');
  if (!text.starts_with("bytes ") || slash == std::string_view::npos) return range;
  range.size = number(text.substr(slash + 1));
  if (dash < slash) range.begin = number(trimmed(text.substr(6, dash - 6)));
  return range;
}

/// One try: what came back.
struct Exchange {
  Body* body = nullptr;
  size_t kept = 0;  // bytes of the body before this try
  int status = 0;
  std::optional<int64_t> length;
  ContentRange range;
  std::string etag, last_modified, retry_after, error;
  bool too_long = false;

  bool good() const { return status == 200 || status == 206; }
  const std::string& version() const { return etag.empty() ? last_modified : etag; }

  static size_t take_body(const char* data, size_t, size_t size, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    if (!exchange.good()) {
      exchange.error.append(data, std::min(size, kErrorText - std::min(kErrorText, exchange.error.size())));
      return size;
    }
    exchange.too_long = !exchange.body->append(data, size);
    return exchange.too_long ? 0 : size;
  }

  static size_t take_header(const char* data, size_t, size_t size, void* self) {
    static_cast<Exchange*>(self)->header({data, size});
    return size;
  }

  void header(std::string_view line) {
    if (line.starts_with("HTTP/")) {  // the first line of an answer; behind redirections there are several
      const std::string_view rest = trimmed(line.substr(std::min(line.find(' '), line.size())));
      status = static_cast<int>(number(rest.substr(0, 3)).value_or(0));
      length = {}, range = {}, etag.clear(), last_modified.clear(), retry_after.clear();
      return;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "content-length") length = number(value);
    if (name == "content-range") range = content_range(value);
    if (name == "etag") etag = value;
    if (name == "last-modified") last_modified = value;
    if (name == "retry-after") retry_after = value;
  }
};

/// Whether libcurl would shorten the path: names of objects may hold "." and ".." between slashes. It is told to leave
/// those alone, and only those, since libcurl 8.23 signs no request of which it has to.
bool has_dot_segments(std::string_view url) {
  std::string path(url.substr(0, url.find('?')));
  path += '/';
  return path.find("/./") != std::string::npos || path.find("/../") != std::string::npos;
}

void ask(Curl::Easy* easy, const Target& target, const std::string& range, const Headers& headers, Exchange& exchange) {
  using namespace option;
  const Curl& curl = Curl::get();
  std::array<char, 256> why{};
  const auto set = [&](int what, auto value) { curl.easy_setopt(easy, what, value); };
  set(kUrl, target.url.c_str());
  set(kNoSignal, 1L);
  set(kUserAgent, "penstock");
  set(kProtocols, kHttp | kHttps);
  set(kRedirectProtocols, kHttp | kHttps);
  set(kFollowLocation, 1L);
  set(kMaxRedirects, 5L);
  set(kHttpVersion, kHttp11);  // a connection of its own for each request under way
  set(kConnectTimeoutMs, kConnectMs);
  set(kLowSpeedLimit, 1L);
  set(kLowSpeedTime, kStallSeconds);
  set(kTcpKeepAlive, 1L);
  set(kPathAsIs, has_dot_segments(target.url) ? 1L : 0L);
  set(kHttpHeader, static_cast<void*>(headers.list()));
  if (!range.empty()) set(kRange, range.c_str());
  set(kErrorBuffer, why.data());
  set(kWriteFunction, &Exchange::take_body);
  set(kWriteData, static_cast<void*>(&exchange));
  set(kHeaderFunction, &Exchange::take_header);
  set(kHeaderData, static_cast<void*>(&exchange));
  if (!target.signature.user.empty()) {
    set(kAwsSigV4, target.signature.scheme.c_str());
    set(kUserName, target.signature.user.c_str());
    set(kPassword, target.signature.password.c_str());
  }
  const int result = curl.easy_perform(easy);
  if (result == 0) return;
  if (!exchange.too_long) exchange.error = why[0] ? why.data() : curl.easy_strerror(result);
  exchange.status = 0;
}

/// What `name` stands for in an error of S3: "<Code>NoSuchKey</Code>".
std::string_view element(std::string_view text, const std::string& name) {
  const size_t begin = text.find("<" + name + ">"), end = text.find("</" + name + ">");
  if (begin == std::string_view::npos || end == std::string_view::npos || begin > end) return {};
  return text.substr(begin + name.size() + 2, end - begin - name.size() - 2);
}

std::string words_of(const Exchange& exchange) {
  if (exchange.status == 0) return exchange.error;
  const std::string_view code = element(exchange.error, "Code"), message = element(exchange.error, "Message");
  if (!code.empty()) return fmt::format("the server answers {}: {}: {}", exchange.status, code, message);
  switch (exchange.status) {
    case 401:
    case 403:
      return fmt::format("the server answers {}: no permission; see docs/buckets.md for credentials", exchange.status);
    case 404:
      return "the server answers 404: there is no such file";
    default:
      return fmt::format("the server answers {}", exchange.status);
  }
}

bool may_pass(const Exchange& exchange) {
  const int status = exchange.status;
  return status == 0 || status == 408 || status == 429 || (status >= 500 && status != 501);
}

/// Waits a random time of [1/2, 1] of what doubles each time, so that clients that failed together do not come
/// together.
void pause(int attempt, const std::string& retry_after) {
  static std::atomic<uint64_t> count = 0;
  auto most = std::min<milliseconds>(kFirstPause * (1 << std::min(attempt, 10)), kLongestPause);
  if (const auto seconds = number(retry_after))
    most = std::clamp<milliseconds>(milliseconds(std::min<int64_t>(*seconds, 60) * 1000), most, kLongestPause);
  const auto half = static_cast<uint64_t>(most.count()) / 2;
  const uint64_t drawn = mix64(mix64(static_cast<uint64_t>(::getpid()), ++count),
                               static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::this_thread::sleep_for(milliseconds(half + drawn % (half + 1)));
}

/// Why an answer that came whole is not the one that was asked for; empty where it is.
std::string wrong_answer(const Exchange& exchange, int64_t begin, int64_t size, size_t got) {
  const auto bytes = static_cast<int64_t>(got);
  if (exchange.length && *exchange.length != bytes) return fmt::format("{} of {} bytes arrived", got, *exchange.length);
  if (exchange.status == 200) return {};
  if (!exchange.range.size || exchange.range.begin != begin)
    return fmt::format("the server sends another range than that from byte {} on", begin);
  if (bytes != std::min(size, *exchange.range.size - begin))
    return fmt::format("{} bytes arrived, {} were asked for", got, size);
  return {};
}

/// The size of a file that has no bytes where some were asked for: S3 says it in another place than all others.
std::optional<int64_t> size_behind_which(const Exchange& exchange) {
  if (exchange.status != 416) return {};
  return exchange.range.size ? exchange.range.size : number(element(exchange.error, "ActualObjectSize"));
}

}  // namespace

Answer get(const Target& target, int64_t begin, int64_t size, Body& out, int tries) {
  Curl::get();  // before all that gives back what it took from it
  const std::string range = size < 0 ? "" : fmt::format("{}-{}", begin, begin + size - 1);
  const Headers headers(target.headers);
  const size_t kept = out.bytes.size();
  std::string why;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Exchange exchange{.body = &out};
    {
      const Handles::Lent easy = Handles::all().take();
      ask(easy.get(), target, range, headers, exchange);
    }
    const size_t got = out.bytes.size() - kept;
    PENSTOCK_CHECK(!exchange.too_long, DataError,
                   "the server sends more than was asked for: it does not answer requests for parts of a file");
    PENSTOCK_CHECK(exchange.status != 200 || begin == 0, DataError,
                   "the server sends whole files where parts are asked for");
    if (exchange.good()) {
      why = wrong_answer(exchange, begin, size, got);
      if (why.empty()) {
        const bool whole = exchange.status == 200;
        return {whole ? static_cast<int64_t>(got) : *exchange.range.size, got, exchange.version(), whole};
      }
    } else if (exchange.status == 304) {
      return {.unchanged = true};
    } else if (const auto whole = size_behind_which(exchange)) {
      return {*whole, 0, exchange.version(), *whole == 0};
    } else {
      why = words_of(exchange);
      if (!may_pass(exchange)) fail<DataError>("{}", why);
    }
    out.bytes.resize(kept);
    if (attempt + 1 < tries) pause(attempt, exchange.retry_after);
  }
  fail<DataError>("{} (tried {} times)", why, tries);
}

}  // namespace penstock::remote
