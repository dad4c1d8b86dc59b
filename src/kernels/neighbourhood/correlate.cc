#include "kernels/neighbourhood/correlate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbourhood/correlate.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Adds what one source row gives to results kFirst to kLast - 1; `weights[r]` are those of result r.
template <int kFirst, int kLast, int kVectors, class D>
HWY_INLINE void add_row(D d, const CorrelateRows& work, const float* from, const float* const* weights,
                        hn::Vec<D> (&sum)[kCorrelatedRows][kVectors]) {
  const size_t lanes = hn::Lanes(d);
  for (int c = 0; c < work.width; ++c, from += work.channels) {
    hn::Vec<D> value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = hn::LoadU(d, from + static_cast<size_t>(v) * lanes);
    for (int r = kFirst; r < kLast; ++r) {
      const auto weight = hn::Set(d, weights[r][c]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(weight, value[v], sum[r][v]);
    }
  }
}

template <int kRows, int kVectors, class D>
HWY_INLINE void make_block(D d, const CorrelateRows& work, size_t at, float* const* out) {
  hn::Vec<D> sum[kCorrelatedRows][kVectors];
  for (auto& row : sum)
    for (auto& one : row) one = hn::Zero(d);
  const int seen = work.height + kRows - 1;
  for (int k = 0; k < work.planes; ++k)
    for (int j = 0; j < seen; ++j) {
      const float* from = work.rows[k * seen + j] + at;
      const float* own = work.weights + static_cast<ptrdiff_t>(k * work.height + j) * work.width;
      const float* weights[kCorrelatedRows] = {own, own - work.width};
      if constexpr (kRows == 1)
        add_row<0, 1>(d, work, from, weights, sum);
      else if (j == 0)
        add_row<0, 1>(d, work, from, weights, sum);
      else if (j == work.height)
        add_row<1, 2>(d, work, from, weights, sum);
      else
        add_row<0, 2>(d, work, from, weights, sum);
    }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, out[r] + at + static_cast<size_t>(v) * hn::Lanes(d));
}

template <int kRows>
void make_rows(const CorrelateRows& work, float* const* out) {
  const hn::CappedTag<float, 16> d;
  const size_t lanes = hn::Lanes(d), n = work.elements;
  size_t at = 0;
  for (; at + 4 * lanes <= n; at += 4 * lanes) make_block<kRows, 4>(d, work, at, out);
  for (; at + lanes <= n; at += lanes) make_block<kRows, 1>(d, work, at, out);
  if (at == n) return;
  if (n >= lanes) return make_block<kRows, 1>(d, work, n - lanes, out);  // some elements once more
  for (; at < n; ++at) make_block<kRows, 1>(hn::CappedTag<float, 1>(), work, at, out);
}

void correlate(const CorrelateRows& work, int made, float* const* out) {
  made == 1 ? make_rows<1>(work, out) : make_rows<kCorrelatedRows>(work, out);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {
HWY_EXPORT(correlate);
}  // namespace

void correlate_rows(const CorrelateRows& work, int made, float* const* out) {
  HWY_DYNAMIC_DISPATCH(correlate)(work, made, out);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE
