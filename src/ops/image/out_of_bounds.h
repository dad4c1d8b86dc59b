// What happens where a window sticks out of its input: arguments and rules shared by all operators that cut windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/image/crop_window.h"

namespace penstock {

struct OutOfBoundsArgs {
  std::string out_of_bounds_policy = "error";
  std::vector<float> fill_values = {0.f};
};

enum class OutOfBounds { kError, kPad, kTrim, kEdge, kReflect1001, kReflect101, kWrap };

/// The policy of that name, in letters of any case. `mirrors`: whether the operator also knows the policies that repeat
/// the input (edge, reflect, wrap).
/// @throws ArgumentError "Not supported out_of_bounds_policy: ..."
OutOfBounds out_of_bounds_policy(std::string_view name, bool mirrors);

/// Checks the window against the input's shape, or cuts it down to it (kTrim).
/// @throws DataError "Slice can't be placed out of bounds with current policy. ..." (kError only)
void bound_window(OutOfBounds policy, const Shape& input, CropWindow& window);

/// The index of the input that stands at `index` of an axis of `extent` elements, or -1 for the fill value.
int64_t source_index(OutOfBounds policy, int64_t index, int64_t extent);

/// Describes the arguments of OutOfBoundsArgs, from which the operator's own arguments derive.
template <class B>
B& add_out_of_bounds_args(B& builder) {
  return builder
      .arg("out_of_bounds_policy", &OutOfBoundsArgs::out_of_bounds_policy,
           "What to do where the window sticks out of the input: \"error\", \"pad\" or \"const\" (fill with "
           "`fill_values`) or \"trim_to_shape\" (make the window smaller); `crop` and `slice` also know \"edge\" or "
           "\"clamp\", \"reflect_1001\" or \"reflect\", \"reflect_101\" and \"wrap\".")
      .arg("fill_values", &OutOfBoundsArgs::fill_values,
           "Value of the padded area: one for all channels, or one per channel.");
}

}  // namespace penstock
