#include "kernels/convert/convert.h"

#include <cstring>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock::kernels {
namespace {

/// Same result as convert_sat<To>(float) for 8- and 16-bit integers, without branches and without a call of round(), so
/// that the loop vectorises. Clamping first is exact because both bounds are integers; NaN compares false and becomes
/// 0.
template <class To>
To narrow(float x) {
  constexpr float low = std::numeric_limits<To>::lowest(), high = std::numeric_limits<To>::max();
  x = x < high ? x : (x == x ? high : 0.0f);
  x = x > low ? x : low;
  const auto whole = static_cast<int32_t>(x);
  const float rest = x - static_cast<float>(whole);
  return static_cast<To>(whole + (rest >= 0.5f) - (rest <= -0.5f));
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
