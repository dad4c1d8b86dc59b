// What is wanted of a TFRecord: "int64[2, 3]" has that shape, "float32[..., 4]" as many rows of 4 as there are,
// "string[]" is a text or an encoded file, "int64[]=7" one number, 7 where the record has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/dtype.h>
#include <penstock/shape.h>

namespace penstock {

enum class FeatureType { kString, kFloat, kInt64 };

struct Feature {
  std::string name;
  FeatureType type = FeatureType::kString;
  bool variable = false;         ///< as many rows as the record has, each of `extents`
  std::vector<int64_t> extents;  ///< positive
  double fallback = 0;           ///< of one number; integers up to 2^53
  DType dtype() const;
};

/// @throws ArgumentError that names the feature
Feature parse_feature(std::string_view name, std::string_view text);

std::string_view name_of(FeatureType type);

}  // namespace penstock
