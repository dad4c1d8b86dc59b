#include "kernels/fourier/spectrum.h"

#include <algorithm>
#include <vector>

#include "core/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fourier/spectrum.cc"
#include <hwy/foreach_target.h>  // compiles what follows once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// One complex number of each column.
template <class D>
struct Complex {
  // A constructor that the compiler makes has no instruction set on aarch64: GCC does not inline vectors' own into it.
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(hn::Vec<D> real, hn::Vec<D> imaginary) : re(real), im(imaginary) {}
  hn::Vec<D> re, im;
};

template <class D>
HWY_INLINE Complex<D> load(D d, const float* at) {
  return {hn::Load(d, at), hn::Load(d, at + hn::Lanes(d))};
}
template <class D>
HWY_INLINE void store(D d, Complex<D> z, float* at) {
  hn::Store(z.re, d, at);
  hn::Store(z.im, d, at + hn::Lanes(d));
}
template <class D>
HWY_INLINE Complex<D> sum(D, Complex<D> a, Complex<D> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
HWY_INLINE Complex<D> difference(D, Complex<D> a, Complex<D> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class D>
HWY_INLINE Complex<D> scaled(D d, Complex<D> a, float by) {
  return {hn::Mul(a.re, hn::Set(d, by)), hn::Mul(a.im, hn::Set(d, by))};
}
/// a + b * by
template <class D>
HWY_INLINE Complex<D> added(D d, Complex<D> a, Complex<D> b, float by) {
  return {hn::MulAdd(b.re, hn::Set(d, by), a.re), hn::MulAdd(b.im, hn::Set(d, by), a.im)};
}
/// a - i * b
template <class D>
HWY_INLINE Complex<D> minus_i(D, Complex<D> a, Complex<D> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
/// a + i * b
template <class D>
HWY_INLINE Complex<D> plus_i(D, Complex<D> a, Complex<D> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
template <class D>
HWY_INLINE Complex<D> times(D d, Complex<D> a, Root root) {
  const auto re = hn::Set(d, root.re), im = hn::Set(d, root.im);
  return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.im, re, hn::Mul(a.re, im))};
}

/// The transform of kRadix numbers, in place.
template <int kRadix, class D>
HWY_INLINE void small_transform(D d, Complex<D>* z) {
  if constexpr (kRadix == 2) {
    const Complex<D> a = z[0];
    z[0] = sum(d, a, z[1]);
    z[1] = difference(d, a, z[1]);
  } else if constexpr (kRadix == 3) {
    constexpr float kSin60 = 0.866025403784438647f;
    const Complex<D> both = sum(d, z[1], z[2]), apart = scaled(d, difference(d, z[1], z[2]), kSin60);
    const Complex<D> middle = added(d, z[0], both, -0.5f);
    z[0] = sum(d, z[0], both);
    z[1] = minus_i(d, middle, apart);
    z[2] = plus_i(d, middle, apart);
  } else if constexpr (kRadix == 4) {
    const Complex<D> even = sum(d, z[0], z[2]), odd = sum(d, z[1], z[3]);
    const Complex<D> even_apart = difference(d, z[0], z[2]), odd_apart = difference(d, z[1], z[3]);
    z[0] = sum(d, even, odd);
    z[1] = minus_i(d, even_apart, odd_apart);
    z[2] = difference(d, even, odd);
    z[3] = plus_i(d, even_apart, odd_apart);
  } else {
    constexpr float kCos72 = 0.309016994374947424f, kCos144 = -0.809016994374947424f;
    constexpr float kSin72 = 0.951056516295153572f, kSin144 = 0.587785252292473129f;
    const Complex<D> outer = sum(d, z[1], z[4]), inner = sum(d, z[2], z[3]);
    const Complex<D> outer_apart = difference(d, z[1], z[4]), inner_apart = difference(d, z[2], z[3]);
    const Complex<D> first = added(d, added(d, z[0], outer, kCos72), inner, kCos144);
    const Complex<D> second = added(d, added(d, z[0], outer, kCos144), inner, kCos72);
    const Complex<D> first_apart = added(d, scaled(d, outer_apart, kSin72), inner_apart, kSin144);
    const Complex<D> second_apart = added(d, scaled(d, outer_apart, kSin144), inner_apart, -kSin72);
    z[0] = sum(d, z[0], sum(d, outer, inner));
    z[1] = minus_i(d, first, first_apart);
    z[2] = minus_i(d, second, second_apart);
    z[3] = plus_i(d, second, second_apart);
    z[4] = plus_i(d, first, first_apart);
  }
}

/// One pass over blocks of `block` numbers each, which splits them into kRadix parts.
template <int kRadix, class D>
HWY_NOINLINE void pass(D d, const ComplexPlan& plan, int64_t block, float* work) {
  const int64_t row = 2 * static_cast<int64_t>(hn::Lanes(d)), part = block / kRadix, stride = plan.length / block;
  for (int64_t begin = 0; begin < plan.length; begin += block) {
    for (int64_t j = 0; j < part; ++j) {
      float* at = work + (begin + j) * row;
      Complex<D> z[kRadix];
      for (int q = 0; q < kRadix; ++q) z[q] = load(d, at + q * part * row);
      small_transform<kRadix>(d, z);
      store(d, z[0], at);
      for (int q = 1; q < kRadix; ++q)
        store(d, j == 0 ? z[q] : times(d, z[q], plan.roots[static_cast<size_t>(j * q * stride)]), at + q * part * row);
    }
  }
}

template <class D>
void transform_rows(D d, const ComplexPlan& plan, float* work) {
  int64_t block = plan.length;
  for (const int32_t radix : plan.radices) {
    if (radix == 2) pass<2>(d, plan, block, work);
    if (radix == 3) pass<3>(d, plan, block, work);
    if (radix == 4) pass<4>(d, plan, block, work);
    if (radix == 5) pass<5>(d, plan, block, work);
    block /= radix;
  }
}

/// Fills the rows of complex numbers from columns of real ones.
template <class D>
HWY_NOINLINE void take_columns(D d, const RealPlan& plan, const RealColumns& in, float* work) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto offsets = hn::LoadU(hn::RebindToSigned<D>(), in.offsets);
  const int64_t between = plan.n % 2 == 0 ? 1 : 2;  // numbers without an imaginary part have zeros between them
  const auto zero = hn::Zero(d);
  for (int64_t j = 0; j < in.count; ++j) {
    auto x = hn::GatherIndex(d, in.data + j * in.stride, offsets);
    if (in.window) x = hn::Mul(x, hn::Set(d, in.window[j]));
    hn::Store(x, d, work + j * between * lanes);
    if (between == 2) hn::Store(zero, d, work + (2 * j + 1) * lanes);
  }
  std::fill(work + in.count * between * lanes, work + plan.points * 2 * lanes, 0.f);
}

/// Transforms `work` with the help of `more`, which is as large; results come in their natural order.
template <class D>
void transform_by_chirp(D d, const RealPlan& plan, float* work, float* more) {
  const ComplexPlan& complex = plan.complex;
  const int64_t row = 2 * static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < plan.points; ++j)
    store(d, times(d, load(d, work + j * row), plan.chirp[static_cast<size_t>(j)]), work + j * row);
  std::fill(work + plan.points * row, work + complex.length * row, 0.f);
  transform_rows(d, complex, work);
  for (int64_t k = 0; k < complex.length; ++k) {  // an inverse transform is one of conjugate numbers
    const auto at = static_cast<size_t>(k);
    Complex<D> z = times(d, load(d, work + complex.place[at] * row), plan.filter[at]);
    z.im = hn::Neg(z.im);
    store(d, z, more + k * row);
  }
  transform_rows(d, complex, more);
  for (int64_t k = 0; k < plan.points; ++k) {
    const auto at = static_cast<size_t>(k);
    Complex<D> z = load(d, more + complex.place[at] * row);
    z.im = hn::Neg(z.im);
    store(d, times(d, z, plan.chirp[at]), work + k * row);
  }
}

template <class D>
HWY_INLINE void give(D d, Complex<D> z, bool root, float* to) {
  const auto power = hn::MulAdd(z.im, z.im, hn::Mul(z.re, z.re));
  hn::StoreU(root ? hn::Sqrt(power) : power, d, to);
}

template <class D>
HWY_NOINLINE void give_magnitudes(D d, const RealPlan& plan, const float* work, bool root, float* rows, int64_t pitch) {
  const int64_t row = 2 * static_cast<int64_t>(hn::Lanes(d));
  const auto result = [&](int64_t k) HWY_ATTR {
    return load(d, work + (plan.by_chirp() ? k : plan.complex.place[static_cast<size_t>(k)]) * row);
  };
  if (plan.halves.empty()) {
    for (int64_t k = 0; k <= plan.n / 2; ++k) give(d, result(k), root, rows + k * pitch);
    return;
  }
  for (int64_t k = 0; k <= plan.points / 2; ++k) {
    const Complex<D> a = result(k);
    Complex<D> b = result(k == 0 ? 0 : plan.points - k);
    b.im = hn::Neg(b.im);
    const Complex<D> even = scaled(d, sum(d, a, b), 0.5f), apart = scaled(d, difference(d, a, b), 0.5f);
    const Complex<D> odd = times(d, {apart.im, hn::Neg(apart.re)}, plan.halves[static_cast<size_t>(k)]);
    give(d, sum(d, even, odd), root, rows + k * pitch);
    give(d, difference(d, even, odd), root, rows + (plan.points - k) * pitch);
  }
}

template <class D>
void spectra(D d, const RealPlan& plan, const RealColumns& in, bool root, float* work, float* rows, int64_t pitch) {
  take_columns(d, plan, in, work);
  if (plan.by_chirp())
    transform_by_chirp(d, plan, work, work + 2 * plan.complex.length * static_cast<int64_t>(hn::Lanes(d)));
  else
    transform_rows(d, plan.complex, work);
  give_magnitudes(d, plan, work, root, rows, pitch);
}

// HWY_EXPORT takes plain names.
size_t lanes() { return hn::Lanes(hn::ScalableTag<float>()); }
void transform_one(const ComplexPlan& plan, float* work) { transform_rows(hn::CappedTag<float, 1>(), plan, work); }
void spectra_of_one(const RealPlan& plan, const RealColumns& in, bool root, float* work, float* rows, int64_t pitch) {
  spectra(hn::CappedTag<float, 1>(), plan, in, root, work, rows, pitch);
}
void spectra_of_many(const RealPlan& plan, const RealColumns& in, bool root, float* work, float* rows, int64_t pitch) {
  spectra(hn::ScalableTag<float>(), plan, in, root, work, rows, pitch);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(lanes);
HWY_EXPORT(transform_one);
HWY_EXPORT(spectra_of_one);
HWY_EXPORT(spectra_of_many);

constexpr int64_t kLongTransform = int64_t{1} << 15;  ///< longer ones are done one by one: they fill caches alone

/// The transform of the inverse chirp, which goes on to both sides of 0.
std::vector<Root> chirp_filter(const RealPlan& plan) {
  const auto length = static_cast<size_t>(plan.complex.length);
  std::vector<Root> inverse(length, Root{0, 0});
  for (size_t k = 0; k < plan.chirp.size(); ++k) {
    const float share = 1.f / static_cast<float>(length);
    const Root value{plan.chirp[k].re * share, -plan.chirp[k].im * share};
    inverse[k] = value;
    if (k > 0) inverse[length - k] = value;
  }
  HWY_DYNAMIC_DISPATCH(transform_one)(plan.complex, &inverse[0].re);
  std::vector<Root> filter(length);
  for (size_t k = 0; k < length; ++k) filter[k] = inverse[plan.complex.place[k]];
  return filter;
}

int64_t checked(int64_t points) {
  PENSTOCK_CHECK(points >= 1 && points <= kMostFourierPoints, ArgumentError,
                 "a Fourier transform has from 1 to {} points, not {}", kMostFourierPoints, points);
  return points;
}

}  // namespace

Spectrum::Spectrum(int64_t points) : plan_(checked(points)) {
  if (plan_.by_chirp()) plan_.filter = chirp_filter(plan_);
  if (plan_.complex.length <= kLongTransform) columns_ = static_cast<int64_t>(HWY_DYNAMIC_DISPATCH(lanes)());
}

size_t Spectrum::work_size() const {
  return static_cast<size_t>(plan_.complex.length * columns_ * (plan_.by_chirp() ? 4 : 2));
}

void Spectrum::transform(const RealColumns& in, bool root, float* work, float* rows, int64_t pitch) const {
  if (columns_ == 1)
    HWY_DYNAMIC_DISPATCH(spectra_of_one)(plan_, in, root, work, rows, pitch);
  else
    HWY_DYNAMIC_DISPATCH(spectra_of_many)(plan_, in, root, work, rows, pitch);
}

}  // namespace penstock::kernels
#endif  // HWY_ONCE
