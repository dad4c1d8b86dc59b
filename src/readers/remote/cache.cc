#include "readers/remote/cache.h"

#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>

#include "core/check.h"
#include "core/fork.h"
#include "readers/remote/credentials.h"

namespace penstock::remote {
namespace {

constexpr const char *kFolder = "PENSTOCK_CACHE_DIR", *kBytes = "PENSTOCK_CACHE_BYTES", *kHow = "PENSTOCK_CACHE",
                     *kSeconds = "PENSTOCK_CACHE_SECONDS";

Cache::Settings settings_of_environment() {
  Cache::Settings settings{.folder = environment(kFolder)};
  if (settings.folder.empty()) return settings;
  if (const std::string bytes = environment(kBytes); !bytes.empty()) settings.limit = bytes_of(bytes, kBytes);
  if (const std::string how = environment(kHow); !how.empty()) {
    PENSTOCK_CHECK(how == "ranges" || how == "files", ArgumentError, "{} must be \"ranges\" or \"files\", got \"{}\"",
                   kHow, how);
    settings.whole_files = how == "files";
  }
  if (const std::string text = environment(kSeconds); !text.empty()) {
    constexpr int64_t kMost = int64_t{1} << 32;
    int64_t seconds = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    PENSTOCK_CHECK(error == std::errc() && end == text.data() + text.size() && seconds >= 0 && seconds < kMost,
                   ArgumentError, "{} must be a number of seconds, got \"{}\"", kSeconds, text);
    settings.trusted = std::chrono::seconds(seconds);
  }
  return settings;
}

struct Held {
  std::mutex mutex;
  pid_t process = ::getpid();
  Cache::Settings settings;
  std::shared_ptr<Cache> cache;
};

Held& held_by_process() {
  static auto* const held = new Held;  // never destroyed: threads may outlive static destruction
  return *held;
}

[[maybe_unused]] const bool held_over_forks = [] {
  hold_over_forks([]() -> std::mutex& { return held_by_process().mutex; });
  return true;
}();

/// Half of the file system, which all processes find to be as large.
int64_t limit_of(const Cache::Settings& settings) {
  if (settings.limit > 0) return settings.limit;
  std::error_code error;
  std::filesystem::create_directories(settings.folder, error);
  const auto space = std::filesystem::space(settings.folder, error);
  return error ? 1 : static_cast<int64_t>(space.capacity / 2);
}

/// What does not depend on the length of the rest stands in front of it.
struct Front {
  int64_t when = 0, size = 0, etag = 0;
};

Key opening_key(const std::string& address, int64_t first) {
  return key_of({"opening", address, std::to_string(first)});
}
Key range_key(const FileVersion& version, int64_t begin, int64_t size) {
  return key_of({"range", version.address, version.etag, fmt::format("{} {} {}", version.size, begin, size)});
}

}  // namespace

int64_t bytes_of(const std::string& text, const char* what) {
  constexpr std::string_view kUnits = "KMGT";
  int64_t value = 0, unit = 1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const char* const last = text.data() + text.size();
  if (error == std::errc() && end != last)
    if (const size_t which = kUnits.find(*end); which != std::string_view::npos) {
      for (size_t i = 0; i <= which; ++i) unit *= 1000;
      ++end;
    }
  PENSTOCK_CHECK(
      error == std::errc() && end == last && value > 0 && value <= std::numeric_limits<int64_t>::max() / unit,
      ArgumentError, "{} must be a number of bytes such as 500G (K, M, G or T may follow), got \"{}\"", what, text);
  return value * unit;
}

std::shared_ptr<Cache> Cache::get() {
  Held& held = held_by_process();
  const std::lock_guard lock(held.mutex);
  if (const pid_t here = ::getpid(); here != held.process) {
    // A parent's threads may have held its locks when it forked: it is neither used nor taken apart here.
    new std::shared_ptr<Cache>(std::move(held.cache));
    held.cache = nullptr;
    held.process = here;
  }
  Settings settings = settings_of_environment();
  if (settings.folder.empty()) return nullptr;
  if (!held.cache || held.settings != settings) {
    held.cache = std::make_shared<Cache>(settings);
    held.settings = std::move(settings);
  }
  return held.cache;
}

Cache::Cache(const Settings& settings)
    : settings_(settings), folder_(settings.folder, limit_of(settings)), packs_(folder_), files_(folder_) {}

std::optional<Opening> Cache::opening(const std::string& address, int64_t first) {
  const std::optional<std::string> kept = packs_.find(opening_key(address, first));
  Front front;
  if (!kept || kept->size() < sizeof front) return {};
  std::memcpy(&front, kept->data(), sizeof front);
  const size_t head = sizeof front + static_cast<size_t>(front.etag);
  if (front.etag < 0 || head > kept->size()) return {};
  return Opening{{address, kept->substr(sizeof front, static_cast<size_t>(front.etag)), front.size},
                 std::chrono::sys_seconds(std::chrono::seconds(front.when)),
                 kept->substr(head)};
}

void Cache::keep_opening(int64_t first, const Opening& opening, bool replaces) {
  const FileVersion& version = opening.version;
  if (version.etag.empty()) return;
  const Front front{opening.when.time_since_epoch().count(), version.size, static_cast<int64_t>(version.etag.size())};
  std::string bytes(reinterpret_cast<const char*>(&front), sizeof front);
  bytes += version.etag;
  bytes += opening.head;
  const Key key = opening_key(version.address, first);
  replaces ? packs_.renew(key, bytes) : packs_.put(key, bytes);
}

bool Cache::is_trusted(const Opening& opening) const {
  const auto age = std::chrono::system_clock::now() - opening.when;
  return age >= std::chrono::seconds(0) && age < settings_.trusted;
}

std::optional<std::string> Cache::range(const FileVersion& version, int64_t begin, int64_t size) {
  if (version.etag.empty()) return {};
  std::optional<std::string> bytes = packs_.find(range_key(version, begin, size));
  return bytes && static_cast<int64_t>(bytes->size()) == size ? bytes : std::nullopt;
}

bool Cache::will_need(const FileVersion& version, int64_t begin, int64_t size) {
  return !version.etag.empty() && packs_.will_need(range_key(version, begin, size));
}

void Cache::keep_range(const FileVersion& version, int64_t begin, std::string_view bytes) {
  if (!version.etag.empty()) packs_.put(range_key(version, begin, static_cast<int64_t>(bytes.size())), bytes);
}

PosixFile Cache::file(const FileVersion& version, const FetchFile& fetch) const {
  if (version.etag.empty()) return {};
  return files_.open(key_of({"file", version.address, version.etag, std::to_string(version.size)}), version.size,
                     fetch);
}

}  // namespace penstock::remote
