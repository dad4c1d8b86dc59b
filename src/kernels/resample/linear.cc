#include "kernels/resample/linear.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resample/linear.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Operation by operation as the curve of a tent of radius 1 gives it, so that all pixels have the same bits.
template <class D>
HWY_INLINE void taps_of(D d, const LinearPixels& p, int32_t at, int32_t* first, float* weights) {
  const hn::RebindToSigned<D> integer;
  const auto one = hn::Set(d, 1.0f), zero = hn::Zero(d);
  const auto number = hn::ConvertTo(d, hn::Iota(integer, at));
  const auto low = hn::Add(hn::Mul(hn::Add(hn::Set(d, p.offset), number), hn::Set(d, p.step)), hn::Set(d, p.origin));
  const auto lowest = hn::Ceil(low), distance = hn::Sub(hn::Sub(lowest, low), one);
  const auto tent = [&](auto x) {
    const auto up = hn::Add(x, one);
    return hn::Max(zero, hn::Min(up, hn::Sub(one, hn::Sub(up, one))));
  };
  const auto left = tent(distance), right = tent(hn::Add(distance, one)), unit = hn::Div(one, hn::Add(left, right));
  hn::StoreU(hn::ConvertTo(integer, lowest), integer, first + at);
  hn::StoreInterleaved2(hn::Mul(left, unit), hn::Mul(right, unit), d, weights + 2 * int64_t{at});
}

void LinearTaps(const LinearPixels& p, int32_t* first, float* weights) {
  const hn::CappedTag<float, 16> d;
  const auto lanes = static_cast<int32_t>(hn::Lanes(d));
  int32_t at = p.begin;
  for (; at + lanes <= p.end; at += lanes) taps_of(d, p, at, first, weights);
  if (at == p.end) return;
  if (p.end - p.begin >= lanes) return taps_of(d, p, p.end - lanes, first, weights);  // some pixels once more
  for (; at < p.end; ++at) taps_of(hn::CappedTag<float, 1>(), p, at, first, weights);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(LinearTaps);

void linear_taps(const LinearPixels& pixels, int32_t* first, float* weights) {
  HWY_DYNAMIC_DISPATCH(LinearTaps)(pixels, first, weights);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE
