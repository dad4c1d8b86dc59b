#include "kernels/sound/convert.h"

#include <concepts>
#include <limits>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock::kernels {
namespace {

template <class Fn>
void dispatch_sound(DType type, Fn&& fn) {
  dispatch_among<float, int16_t, int32_t, uint8_t, int8_t, uint16_t, uint32_t, float16, double>(type,
                                                                                                std::forward<Fn>(fn));
}

/// 32 bits do not fit into a float.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, float>;

template <std::integral T>
constexpr Wide<T> kMost = static_cast<Wide<T>>(std::numeric_limits<T>::max());

}  // namespace

void sound_to_float(DType type, const std::byte* from, int64_t stride, int64_t count, float* to) {
  dispatch_sound(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* samples = reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < count; ++i) {
      const T sample = samples[i * stride];
      if constexpr (!std::is_integral_v<T>)
        to[i] = convert_sat<float>(sample);
      else if constexpr (std::is_signed_v<T>)
        to[i] = static_cast<float>(static_cast<Wide<T>>(sample) * (1 / kMost<T>));
      else
        to[i] = static_cast<float>(static_cast<Wide<T>>(sample) * (2 / kMost<T>)-1);
    }
  });
}

void sound_from_float(const float* from, int64_t count, DType type, std::byte* to) {
  dispatch_sound(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* samples = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (!std::is_integral_v<T>)
        samples[i] = convert_sat<T>(from[i]);
      else if constexpr (std::is_signed_v<T>)
        samples[i] = convert_sat<T>(static_cast<Wide<T>>(from[i]) * kMost<T>);
      else
        samples[i] = convert_sat<T>((static_cast<Wide<T>>(from[i]) + 1) * (kMost<T> / 2));
    }
  });
}

}  // namespace penstock::kernels
