#include "kernels/sound/decibels.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sound/decibels.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void decibel_block(D d, const float* in, float scale, float least, float factor, float* out) {
  const auto ratio = hn::Mul(hn::LoadU(d, in), hn::Set(d, scale)), low = hn::Set(d, least);
  const auto above = hn::IfThenElse(hn::Gt(ratio, low), ratio, low);  // the comparison is false for NaN
  const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto logarithm = hn::IfThenElse(hn::Eq(above, infinity), infinity, hn::Log10(d, above));
  hn::StoreU(hn::Mul(logarithm, hn::Set(d, factor)), d, out);
}

void decibels_of(const float* in, size_t count, float scale, float least, float factor, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) decibel_block(d, in + i, scale, least, factor, out + i);
  for (; i < count; ++i) decibel_block(hn::CappedTag<float, 1>(), in + i, scale, least, factor, out + i);
}

float largest_of(const float* in, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  float most = std::numeric_limits<float>::lowest();
  auto mosts = hn::Set(d, most);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::LoadU(d, in + i);
    mosts = hn::IfThenElse(hn::Gt(x, mosts), x, mosts);
  }
  most = hn::GetLane(hn::MaxOfLanes(d, mosts));
  for (; i < count; ++i) most = in[i] > most ? in[i] : most;
  return most;
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {
HWY_EXPORT(decibels_of);
HWY_EXPORT(largest_of);
}  // namespace

void decibels(const float* in, int64_t count, float scale, float least, float factor, float* out) {
  // Below its smallest normal number a float has no logarithm here.
  least = std::max(least, std::numeric_limits<float>::min());
  HWY_DYNAMIC_DISPATCH(decibels_of)(in, static_cast<size_t>(count), scale, least, factor, out);
}

float largest(const float* in, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(in, static_cast<size_t>(count));
}

void emphasize(const float* __restrict in, int64_t count, float factor, float before, float* __restrict out) {
  if (count > 0) out[0] = in[0] - factor * before;
  for (int64_t i = 1; i < count; ++i) out[i] = in[i] - factor * in[i - 1];
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE
