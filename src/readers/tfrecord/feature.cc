#include "readers/tfrecord/feature.h"

#include <algorithm>
#include <charconv>

#include "core/check.h"

namespace penstock {
namespace {

constexpr std::string_view kMore = "...";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class T>
bool whole_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool type_from(std::string_view text, FeatureType& type) {
  for (const FeatureType one : {FeatureType::kString, FeatureType::kFloat, FeatureType::kInt64})
    if (text == name_of(one)) return type = one, true;
  return false;
}

/// What stands between the brackets.
bool shape_from(std::string_view text, Feature& feature) {
  int64_t volume = 1;
  for (bool first = true; !(first && trimmed(text).empty()); first = false) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = trimmed(text.substr(0, comma));
    if (first && one == kMore) {
      feature.variable = true;
    } else {
      int64_t extent = 0;
      if (!whole_number(one, extent) || extent <= 0 || __builtin_mul_overflow(volume, extent, &volume)) return false;
      feature.extents.push_back(extent);
    }
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  return feature.extents.size() < kMaxDims;
}

}  // namespace

std::string_view name_of(FeatureType type) {
  return type == FeatureType::kString ? "string" : type == FeatureType::kFloat ? "float32" : "int64";
}

DType Feature::dtype() const {
  return type == FeatureType::kString ? DType::kUInt8 : type == FeatureType::kFloat ? DType::kFloat : DType::kInt64;
}

Feature parse_feature(std::string_view name, std::string_view text) {
  Feature feature{.name = std::string(name)};
  const size_t open = text.find('['), close = std::min(text.find(']'), text.size());
  const std::string_view after = close < text.size() ? trimmed(text.substr(close + 1)) : std::string_view();
  const bool has_default = after.starts_with('=');
  bool good = open < close && close < text.size() && type_from(trimmed(text.substr(0, open)), feature.type) &&
              shape_from(text.substr(open + 1, close - open - 1), feature) && (after.empty() || has_default);
  if (good && has_default && feature.type != FeatureType::kString)
    good = whole_number(trimmed(after.substr(1)), feature.fallback);
  PENSTOCK_CHECK(good, ArgumentError,
                 "feature \"{}\" is wanted as \"{}\"; use FixedLenFeature or VarLenFeature of penstock.tfrecord, or "
                 "write \"string[]\", \"int64[2, 3]\", \"float32[..., 4]\" or the like, with positive extents",
                 name, text.substr(0, 100));
  const bool one_text =
      !feature.variable && feature.extents.size() <= 1 && (feature.extents.empty() || feature.extents[0] == 1);
  PENSTOCK_CHECK(
      feature.type != FeatureType::kString || one_text, ArgumentError,
      "feature \"{}\" is wanted as \"{}\": Tensors of strings are not supported; FixedLenFeature([], string, "
      "\"\") takes the first string",
      name, text.substr(0, 100));
  return feature;
}

}  // namespace penstock
