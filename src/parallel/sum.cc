#include "parallel/sum.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/dispatch.h"

namespace penstock::parallel {
namespace {

/// What elements of type T are added up in: unsigned for integers, where overflow is defined.
template <class T, bool = std::is_integral_v<T>>
struct Accumulator {
  using type = std::conditional_t<sizeof(T) == 2, float, T>;
};
template <class T>
struct Accumulator<T, true> {
  using type = std::make_unsigned_t<T>;
};

/// Elements that are added up at a time: few enough to stay in the cache, enough to vectorise the loops over them.
constexpr int64_t kBlock = 1024;

template <class T>
void sum_as(std::span<const TensorView> parts, bool mean, const TensorView& out) {
  using A = typename Accumulator<T>::type;
  const int64_t count = out.shape.volume();
  std::array<A, kBlock> total;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    std::transform(parts[0].as<const T>() + begin, parts[0].as<const T>() + begin + n, total.begin(),
                   [](T x) { return static_cast<A>(x); });
    for (const TensorView& part : parts.subspan(1))
      std::transform(total.begin(), total.begin() + n, part.as<const T>() + begin, total.begin(),
                     [](A sum, T x) { return static_cast<A>(sum + static_cast<A>(x)); });
    if constexpr (std::is_floating_point_v<A>)
      if (mean) std::for_each(total.begin(), total.begin() + n, [&](A& sum) { sum /= static_cast<A>(parts.size()); });
    std::transform(total.begin(), total.begin() + n, out.as<T>() + begin, [](A sum) { return static_cast<T>(sum); });
  }
}

}  // namespace

void sum(std::span<const TensorView> parts, bool mean, const TensorView& out) {
  dispatch_among<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, float16, bfloat16, float,
                 double>(out.dtype, [&]<class T>(Tag<T>) { sum_as<T>(parts, mean, out); });
}

}  // namespace penstock::parallel
