// The random crop window that random_resized_crop and the random-crop decoders share: one seed, the same windows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace penstock {

/// Where a window begins and how large it is, in pixels.
struct Extent {
  int64_t y = 0, x = 0, h = 0, w = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct RandomWindowArgs {
  std::vector<float> random_aspect_ratio = {3.0f / 4, 4.0f / 3};  ///< least and greatest width / height
  std::vector<float> random_area = {0.08f, 1.0f};                 ///< least and greatest share of the image's area
  int64_t num_attempts = 10;
};

/// For setup: refuses ranges that are no pair, are empty, or hold what no window can have.
/// @throws ArgumentError that names the argument.
void check_random_window(const RandomWindowArgs& args);

/// Describes the arguments of RandomWindowArgs, from which the operator's own arguments derive.
template <class B>
B& add_random_window_args(B& builder) {
  return builder
      .arg("random_aspect_ratio", &RandomWindowArgs::random_aspect_ratio, "Least and greatest width / height.")
      .arg("random_area", &RandomWindowArgs::random_area, "Least and greatest share of the image's area.")
      .arg("num_attempts", &RandomWindowArgs::num_attempts, "Draws before the nearest window that fits is taken.");
}

/// Draws a window that lies inside an image of H rows and W columns; an empty one for an empty image.
/// The arguments must have passed check_random_window.
Extent random_window(Random& random, int64_t H, int64_t W, const RandomWindowArgs& args);

}  // namespace penstock
