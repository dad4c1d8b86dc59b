// Saturating conversion of whole blocks between all element types (the rule is convert_sat's, see core/convert.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

namespace penstock::kernels {

/// Converts `n` elements. @throws TypeError for kNone.
void convert(DType from, const std::byte* src, DType to, std::byte* dst, int64_t n);

}  // namespace penstock::kernels
