#include "readers/file/list_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "readers/file/posix_file.h"
#include "readers/remote/url.h"

namespace penstock {
namespace {

constexpr size_t kMaxLine = 16 << 10;
constexpr size_t kChunk = 1 << 20;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Predicate>
std::string_view without_tail(std::string_view text, Predicate&& drop) {
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

struct Listed {
  std::string_view path;
  int64_t label = 0;
};

/// An empty path for a line that is not "path label".
Listed split(std::string_view line) {
  const std::string_view before_label = without_tail(line, is_digit);
  const std::string_view path = without_tail(before_label, is_blank);
  const std::string_view digits = line.substr(before_label.size());
  Listed listed;
  const bool parted = path.size() < before_label.size() && !digits.empty() && path.find('\0') == std::string_view::npos;
  if (parted && std::from_chars(digits.data(), digits.data() + digits.size(), listed.label).ec == std::errc())
    listed.path = path;
  return listed;
}

/// Gives the lines that are not blank, without blanks at their ends, and their numbers.
class Lines {
 public:
  using Take = std::function<void(std::string_view line, int64_t number)>;
  Lines(const std::string& list_path, const Take& take) : list_path_(list_path), take_(take) {}

  void line(std::string_view text) {
    if (++number_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
    PENSTOCK_CHECK(text.size() < kMaxLine, DataError, "Wrong format of file_list: {}: line {} is longer than {} bytes",
                   list_path_, number_, kMaxLine);
    const std::string_view content = without_tail(text, is_blank);
    if (!content.empty()) take_(content, number_);
  }

 private:
  const std::string& list_path_;
  const Take& take_;
  int64_t number_ = 0;
};

/// Of a list on a server.
void for_each_remote_line(const std::string& list_url, const Lines::Take& take) {
  const std::string text = PosixFile::open_named(list_url).text();
  Lines parser(list_url, take);
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    parser.line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void for_each_line(const std::string& list_path, const Lines::Take& take) {
  if (remote::is_url(list_path)) return for_each_remote_line(list_path, take);
  const PosixFile list(::open(list_path.c_str(), O_RDONLY | O_CLOEXEC));
  PENSTOCK_CHECK(list.fd() >= 0, ArgumentError, "Cannot open: {}: {}", list_path, system_message(errno));
  Lines parser(list_path, take);
  std::vector<char> buffer(kChunk + kMaxLine);
  size_t carried = 0;  // the beginning of a line whose end is in the next chunk
  for (;;) {
    const ssize_t n = ::read(list.fd(), buffer.data() + carried, kChunk);
    if (n < 0 && errno == EINTR) continue;
    PENSTOCK_CHECK(n >= 0, DataError, "cannot read {}: {}", list_path, system_message(errno));
    std::string_view text(buffer.data(), carried + static_cast<size_t>(n));
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      parser.line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    if (n == 0 || text.size() >= kMaxLine) {
      parser.line(text);
      if (n == 0) return;
    }
    std::memmove(buffer.data(), text.data(), text.size());
    carried = text.size();
  }
}

}  // namespace

void for_each_listed(const std::string& list_path, const std::function<void(std::string_view, int64_t)>& take) {
  for_each_line(list_path, [&](std::string_view line, int64_t number) {
    const Listed listed = split(line);
    PENSTOCK_CHECK(!listed.path.empty(), DataError,
                   "Incorrect format of the list file \"{}\":{} expected file name followed by a label (a non-negative "
                   "whole number); got: {}",
                   list_path, number, line.substr(0, 200));
    take(listed.path, listed.label);
  });
}

void for_each_path(const std::string& list_path, const std::function<void(std::string_view)>& take) {
  for_each_line(list_path, [&](std::string_view line, int64_t number) {
    PENSTOCK_CHECK(line.find('\0') == std::string_view::npos, DataError,
                   "Incorrect format of the list file \"{}\":{} a path cannot hold a NUL character", list_path, number);
    take(line);
  });
}

}  // namespace penstock
