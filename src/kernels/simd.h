// Which instruction set the kernels run with.
#pragma once

#include <string_view>

namespace penstock::kernels {

/// The best one that this processor has and the kernels were compiled for, by Highway's name: "AVX3_ZEN4", "NEON", ...
std::string_view simd_target();

}  // namespace penstock::kernels
