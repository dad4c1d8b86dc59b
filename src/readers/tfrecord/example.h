// TensorFlow's Example message: named lists of strings, floats or integers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "readers/tfrecord/feature.h"

namespace penstock {

/// The values of one feature in a record.
struct FeatureValues {
  FeatureType type = FeatureType::kString;
  std::string_view list;  ///< the message that holds them, in the record
  int64_t count = 0;      ///< 0 where the record has none
};

/// Finds each of `wanted` in the record; `found` has as many elements.
/// @throws DataError for what is no Example message
void find_features(std::string_view record, std::span<const Feature> wanted, std::span<FeatureValues> found);

/// The first of the strings, in the record.
std::string_view first_string(const FeatureValues& values);
/// All `count` numbers. @throws DataError as find_features
void copy_values(const FeatureValues& values, float* out);
void copy_values(const FeatureValues& values, int64_t* out);

}  // namespace penstock
