#include "readers/nemo_asr/manifest.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/check.h"

namespace penstock::nemo {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr double kMostSeconds = 1e9;

class Parser {
 public:
  explicit Parser(std::string text) : size_(text.size()), text_(std::move(text)) {
    text_.resize(size_ + simdjson::SIMDJSON_PADDING);
  }

  std::vector<Entry> parse() {
    std::vector<Entry> entries;
    if (rest(0).starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (skip_blanks()) {
      const size_t begin = at_;
      find_end();
      entries.push_back(entry({text_.data() + begin, at_ - begin}, text_.size() - begin));
    }
    return entries;
  }

 private:
  std::string_view rest(size_t at) const { return std::string_view(text_.data(), size_).substr(at); }

  /// @return whether something follows
  bool skip_blanks() {
    while (at_ < size_ && kBlanks.find(text_[at_]) != std::string_view::npos) line_ += text_[at_++] == '\n';
    next_line_ = line_;
    return at_ < size_;
  }

  /// Goes behind the object that begins here.
  void find_end() {
    if (text_[at_] != '{') refuse("a JSON object was expected, which begins with {");
    int64_t depth = 0;
    bool in_string = false;
    do {
      if (at_ == size_) refuse("the JSON object has no end");
      const char c = text_[at_++];
      next_line_ += c == '\n';
      if (in_string) {
        if (c == '\\' && at_ < size_) ++at_;
        in_string = c != '"';
      } else {
        in_string = c == '"';
        if (c == '{') ++depth;
        if (c == '}') --depth;
      }
    } while (depth > 0);
  }

  Entry entry(std::string_view object, size_t capacity) {
    Entry made{.line = line_};
    try {
      json::document document = parser_.iterate(simdjson::padded_string_view(object.data(), object.size(), capacity));
      for (auto field : document.get_object()) {
        const std::string_view key = field.unescaped_key();
        take(key, json::value(field.value()), made);
      }
    } catch (const simdjson::simdjson_error& e) {
      refuse(e.what());
    }
    if (made.path.empty()) refuse("the key `audio_filepath` is missing, or empty");
    line_ = next_line_;
    return made;
  }

  void take(std::string_view key, json::value value, Entry& made) const {
    if (key == "audio_filepath") made.path = string(value, "audio_filepath");
    if (key == "text") made.text = value.is_null() ? "" : string(value, "text");
    if (key == "duration" && !value.is_null()) made.duration = std::max(seconds(value, "duration"), -1.0);
    if (key != "offset" || value.is_null()) return;
    made.offset = seconds(value, "offset");
    if (made.offset < 0) refuse(fmt::format("`offset` is {}: speech cannot begin before its file", made.offset));
  }

  std::string string(json::value value, const char* key) const {
    std::string_view found;
    if (value.get_string().get(found) != simdjson::SUCCESS) refuse(fmt::format("`{}` must be a string", key));
    if (key != std::string_view("text") && found.find('\0') != std::string_view::npos)
      refuse(fmt::format("`{}` holds a NUL character", key));
    return std::string(found);
  }

  double seconds(json::value value, const char* key) const {
    double number = 0;
    if (value.get_double().get(number) != simdjson::SUCCESS) refuse(fmt::format("`{}` must be a number", key));
    if (!(std::abs(number) <= kMostSeconds)) refuse(fmt::format("`{}` is {}, which are no seconds", key, number));
    return number;
  }

  [[noreturn]] void refuse(std::string_view what) const { fail<DataError>("line {}: {}", line_, what); }

  size_t size_;
  std::string text_;
  json::parser parser_;
  size_t at_ = 0;
  int64_t line_ = 1, next_line_ = 1;
};

}  // namespace

std::vector<Entry> parse_manifest(std::string text) { return Parser(std::move(text)).parse(); }

}  // namespace penstock::nemo
