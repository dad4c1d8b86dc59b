#include "readers/webdataset/samples.h"

#include <algorithm>
#include <charconv>

#include "core/check.h"
#include "readers/webdataset/tar.h"

namespace penstock {
namespace {

constexpr std::string_view kBlanks = " \t\r";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Cuts off the part in front of the first of `ends`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return take_until(line, kBlanks);
}

int64_t number_from(std::string_view word, int64_t line) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  PENSTOCK_CHECK(error == std::errc() && end == word.data() + word.size() && value >= 0, DataError,
                 "Malformed index file, line {}: \"{}\" is no number", line, word.substr(0, 30));
  return value;
}

/// Components of one line, each "extension offset size" and, in version 1.2, the file's name.
void take_line(std::string_view line, int64_t number, bool names, SampleCollector& samples) {
  std::string_view sample, extension = take_word(line);
  PENSTOCK_CHECK(!extension.empty(), DataError, "Malformed index file, line {}: no extensions provided for the sample",
                 number);
  for (; !extension.empty(); extension = take_word(line)) {
    const int64_t begin = number_from(take_word(line), number);
    const int64_t size = number_from(take_word(line), number);
    if (names) sample = take_word(line);
    PENSTOCK_CHECK(!names || !sample.empty(), DataError, "Malformed index file, line {}: no name behind \"{}\"", number,
                   extension);
    PENSTOCK_CHECK(
        begin >= kTarBlock && begin % kTarBlock == 0, DataError,
        "Malformed index file, line {}: tar offset {} is not a multiple of tar block size (512), perhaps the "
        "size value is exported before offset?",
        number, begin);
    samples.add(extension, {begin, size});
  }
  samples.end(sample);
}

}  // namespace

Extensions::Extensions(const std::vector<std::string>& ext, bool case_sensitive) : case_sensitive_(case_sensitive) {
  for (std::string_view text : ext) {
    std::vector<std::string>& alternatives = alternatives_.emplace_back();
    while (!text.empty()) {
      std::string_view part = take_until(text, ";");
      part = take_word(part);
      if (!part.empty()) alternatives.emplace_back(part);
    }
    PENSTOCK_CHECK(!alternatives.empty(), ArgumentError,
                   "`ext` has an entry without an extension; write \"jpg\" or, for one of several, \"jpg;png\"");
  }
}

bool Extensions::takes(size_t output, std::string_view extension) const {
  return std::ranges::any_of(alternatives_[output], [&](const std::string& one) {
    return case_sensitive_ ? one == extension : std::ranges::equal(one, extension, {}, lower, lower);
  });
}

MissingComponent missing_component_from(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), lower);
  if (folded.empty() || folded == "empty") return MissingComponent::kEmpty;
  if (folded == "skip") return MissingComponent::kSkip;
  if (folded == "error") return MissingComponent::kError;
  fail<ArgumentError>("Invalid value for missing_component_behavior '{}' possible values are: skip, error, empty",
                      text);
}

void SampleCollector::add(std::string_view extension, Place place) {
  for (size_t i = 0; i < sample_.size(); ++i)
    if (sample_[i].begin == 0 && extensions_.takes(i, extension)) sample_[i] = place;
}

void SampleCollector::end(std::string_view name) {
  const bool whole = std::ranges::all_of(sample_, [](const Place& place) { return place.begin != 0; });
  PENSTOCK_CHECK(whole || missing_ != MissingComponent::kError, DataError,
                 "Underful sample detected: \"{}\" lacks a component of `ext`", name);
  if (whole || missing_ == MissingComponent::kEmpty) all_.insert(all_.end(), sample_.begin(), sample_.end());
  std::ranges::fill(sample_, Place{});
}

std::optional<std::pair<std::string_view, std::string_view>> split_name(std::string_view name) {
  const size_t base = name.rfind('/') + 1;  // npos + 1 is 0: no folder
  const size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot == base) return {};
  return std::pair(name.substr(0, dot), name.substr(dot + 1));
}

std::vector<Place> list_tar(const PosixFile& file, const Extensions& extensions, MissingComponent missing) {
  SampleCollector samples(extensions, missing);
  std::string last;
  TarWalk walk(file);
  for (std::optional<TarMember> member = walk.next(); member; member = walk.next()) {
    const auto parts = split_name(member->name);
    if (!parts) continue;
    if (!last.empty() && last != parts->first) samples.end(last);
    last = parts->first;
    samples.add(parts->second, {member->begin, member->size});
  }
  if (!last.empty()) samples.end(last);
  return samples.take();
}

std::vector<Place> parse_wds_index(std::string_view text, const Extensions& extensions, MissingComponent missing) {
  std::string_view head = take_until(text, "\n");
  const std::string_view version = take_word(head);
  PENSTOCK_CHECK(
      version == "v1.1" || version == "v1.2", DataError,
      "Malformed index file, line 1: Unsupported version of the index file ({}); write it anew with wds2idx, "
      "or leave `index_paths` out",
      version.substr(0, 30));
  const int64_t count = number_from(take_word(head), 1);
  SampleCollector samples(extensions, missing);
  int64_t number = 1;
  while (!text.empty()) take_line(take_until(text, "\n"), ++number, version == "v1.2", samples);
  PENSTOCK_CHECK(number - 1 == count, DataError, "Malformed index file: {} samples are announced, {} lines follow",
                 count, number - 1);
  return samples.take();
}

}  // namespace penstock
