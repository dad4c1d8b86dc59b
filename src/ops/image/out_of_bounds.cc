#include "ops/image/out_of_bounds.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/check.h"
#include "kernels/neighbourhood/window.h"

namespace penstock {
namespace {

/// "{5 x 6 x 3}", as DALI writes shapes in this error.
std::string braced(const Shape& shape) { return fmt::format("{{{}}}", fmt::join(shape, " x ")); }

}  // namespace

OutOfBounds out_of_bounds_policy(std::string_view name, bool mirrors) {
  struct Entry {
    std::string_view name;
    OutOfBounds policy;
  };
  static constexpr Entry kPolicies[] = {
      {"error", OutOfBounds::kError},
      {"pad", OutOfBounds::kPad},
      {"const", OutOfBounds::kPad},
      {"constant", OutOfBounds::kPad},
      {"trim_to_shape", OutOfBounds::kTrim},
      {"edge", OutOfBounds::kEdge},
      {"clamp", OutOfBounds::kEdge},
      {"reflect", OutOfBounds::kReflect1001},
      {"reflect_1001", OutOfBounds::kReflect1001},
      {"reflect_101", OutOfBounds::kReflect101},
      {"wrap", OutOfBounds::kWrap},
  };
  std::string lower(name);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const Entry& entry : kPolicies)
    if (entry.name == lower && (mirrors || entry.policy <= OutOfBounds::kTrim)) return entry.policy;
  fail<ArgumentError>("Not supported out_of_bounds_policy: {}; use \"error\", \"pad\"{} or \"trim_to_shape\"", name,
                      mirrors ? ", \"edge\", \"reflect_1001\", \"reflect_101\", \"wrap\"" : "");
}

void bound_window(OutOfBounds policy, const Shape& input, CropWindow& window) {
  for (int i = 0; i < input.ndim(); ++i) {
    int64_t &anchor = window.anchor[i], &extent = window.extent[i];
    if (policy == OutOfBounds::kTrim) {
      const int64_t begin = std::clamp<int64_t>(anchor, 0, input[i]);
      const int64_t end = std::clamp<int64_t>(anchor + extent, begin, input[i]);
      anchor = begin, extent = end - begin;
    } else if (policy == OutOfBounds::kError) {
      PENSTOCK_CHECK(anchor >= 0 && anchor <= input[i] && anchor + extent <= input[i], DataError,
                     "Slice can't be placed out of bounds with current policy. Got: input_shape={}, slice_anchor={}, "
                     "slice_shape={}; choose a smaller window or another out_of_bounds_policy",
                     braced(input), braced(window.anchor), braced(window.extent));
    }
  }
}

int64_t source_index(OutOfBounds policy, int64_t index, int64_t extent) {
  using kernels::Border;
  const Border border = policy == OutOfBounds::kEdge          ? Border::kClamp
                        : policy == OutOfBounds::kReflect1001 ? Border::kReflect1001
                        : policy == OutOfBounds::kReflect101  ? Border::kReflect101
                        : policy == OutOfBounds::kWrap        ? Border::kWrap
                                                              : Border::kConstant;
  return kernels::border_index(border, index, extent);
}

}  // namespace penstock
