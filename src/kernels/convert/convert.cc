#include "kernels/convert/convert.h"

#include <cmath>
#include <cstring>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock::kernels {
namespace {

/// Same result as convert_sat<To>(float) for 8- and 16-bit integers, without branches and without a call of round(), so
/// that the loop vectorises. Clamping first is exact because both bounds are integers. Adding the largest float below
/// one half and cutting off rounds halves away from zero, and leaves the float just below a half where it is.
template <class To>
To narrow(float x) {
  constexpr float low = std::numeric_limits<To>::lowest(), high = std::numeric_limits<To>::max();
  x = x == x ? x : 0.0f;
  x = x > low ? x : low;
  x = x < high ? x : high;
  return static_cast<To>(static_cast<int32_t>(x + std::copysign(0x1.fffffep-2f, x)));
}

template <class From, class To>
void convert_block(const From* src, To* dst, int64_t n) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(To));
  } else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To> && !std::is_same_v<To, bool> &&
                       sizeof(To) <= 2) {
    for (int64_t i = 0; i < n; ++i) dst[i] = narrow<To>(src[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i] = convert_sat<To>(src[i]);
  }
}

}  // namespace

void convert(DType from, const std::byte* src, DType to, std::byte* dst, int64_t n) {
  dispatch_all(from, [&](auto source) {
    using From = typename decltype(source)::type;
    dispatch_all(to, [&](auto target) {
      using To = typename decltype(target)::type;
      convert_block(reinterpret_cast<const From*>(src), reinterpret_cast<To*>(dst), n);
    });
  });
}

}  // namespace penstock::kernels
