// Base of operators that add noise to each element: a pure function of seed, epoch, sample and the element's number.
#pragma once

#include <algorithm>

#include "core/convert.h"
#include "kernels/elements/noise.h"
#include "kernels/elements/values.h"
#include "kernels/noise/normals.h"
#include "ops/base/elementwise.h"

namespace penstock {

template <class A>
class NoiseOperator : public ElementwiseOperator<A> {
 public:
  NoiseOperator() { this->traits_.goes_by_descriptors = false; }  // numbers differ by sample
  void run(Sample& s) const final {
    const TensorView& out = s.out(0).tensor;
    const kernels::NoiseTable noise = table(s);
    const Pixels pixels = pixels_of(s);
    const std::byte* in = dense_part(s, 0, s.wanted(0));
    dispatch_all(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = reinterpret_cast<const T*>(in);
      T* to = out.as<T>();
      using Real = kernels::RealOf<T>;
      Normals<Real> normals;
      kernels::NoiseBlock<Real> last;
      kernels::NoiseBlock<float> last_words;
      for_each_run(out, s.wanted(0), [&](int64_t in_part, int64_t in_whole, int64_t count) {
        if (noise.kind == kernels::Noise::kGaussian)
          return add_normal(noise, normals, from + in_part, to + in_part, in_whole, count);
        if (noise.kind == kernels::Noise::kSaltAndPepper)
          return add_salt(noise, pixels, last_words, from + in_part, to + in_part, in_whole, count);
        for (int64_t i = in_part; i < in_part + count; ++i)
          to[i] = convert_sat<T>(
              kernels::noisy(noise, static_cast<uint64_t>(in_whole - in_part + i), convert_sat<Real>(from[i]), last));
      });
    });
  }

 protected:
  /// All but seed, epoch and sample. @throws ArgumentError for arguments out of range
  virtual kernels::NoiseTable noise(const Sample& s) const = 0;
  /// The axis along which all elements get the same noise; -1: none.
  virtual int shared_axis(const Sample&) const { return -1; }

 private:
  /// Numbers of pixels, where the elements of one share their noise.
  struct Pixels {
    int64_t extent = 1, inner = 1;
    uint64_t number(int64_t element) const {
      const int64_t pixel = extent == 1 ? element : element / (extent * inner) * inner + element % inner;
      return static_cast<uint64_t>(pixel);
    }
    /// So many elements from that one on belong to one pixel.
    int64_t neighbours(int64_t element) const { return inner == 1 ? extent - element % extent : 1; }
  };
  Pixels pixels_of(const Sample& s) const {
    const int axis = shared_axis(s);
    const Shape& shape = s.in(0).tensor.shape;
    if (axis < 0) return {};
    Pixels pixels{.extent = shape[axis], .inner = 1};
    for (int i = axis + 1; i < shape.ndim(); ++i) pixels.inner *= shape[i];
    return pixels;
  }

  /// The block of numbers drawn last: short runs, one behind the other, share it.
  template <class Real>
  struct Normals {
    int64_t block = -1;
    Real values[kernels::kNormals];
  };

  template <class T>
  static void add_salt(const kernels::NoiseTable& noise, const Pixels& pixels, kernels::NoiseBlock<float>& last,
                       const T* from, T* to, int64_t first, int64_t count) {
    const T salt = convert_sat<T>(noise.salt), pepper = convert_sat<T>(noise.pepper);
    for (int64_t i = 0; i < count;) {
      const uint32_t word = kernels::word_at(noise, pixels.number(first + i), last);
      const int64_t end = std::min(count, i + pixels.neighbours(first + i));
      for (; i < end; ++i) to[i] = word < noise.noisy_below ? (word < noise.salt_below ? salt : pepper) : from[i];
    }
  }
  template <class T, class Real>
  static void add_normal(const kernels::NoiseTable& noise, Normals<Real>& normals, const T* from, T* to, int64_t first,
                         int64_t count) {
    for (int64_t i = 0; i < count;) {
      const int64_t block = (first + i) / kernels::kNormals, skipped = (first + i) % kernels::kNormals;
      const int64_t end = std::min(count, i + kernels::kNormals - skipped);
      if (block != normals.block) kernels::fill_normals<Real>(noise, static_cast<uint64_t>(block), normals.values);
      normals.block = block;
      for (const Real* normal = normals.values + skipped; i < end; ++i)
        to[i] = convert_sat<T>(kernels::with_normal(noise, *normal++, convert_sat<Real>(from[i])));
    }
  }

  kernels::NoiseTable table(const Sample& s) const {
    kernels::NoiseTable table = noise(s);
    table.seed = this->spec().seed;
    table.epoch = s.id().epoch;
    table.sample = s.id().sample;
    return table;
  }
  void change(Sample& s, device::Staging& staging, ElementWork& work) const final {
    const kernels::NoiseTable filled = table(s);
    const DType real = kernels::real_type(s.out(0).tensor.dtype);
    work.convert(real);
    work.add({.step = kernels::Step::kNoise,
              .operand = numbers_of(s.out(0), shared_axis(s), work),
              .type = real,
              .immediate = {ElementWork::address(staging.put(std::span(&filled, 1)))}},
             real);
  }
};

/// Describes what all of them have in common.
template <class Op>
OpBuilder<Op> add_noise(Registry& r, std::string name, const char* doc) {
  OpBuilder<Op> op = r.add<Op>(std::move(name));
  op.doc(doc)
      .input("data", {}, "Tensor of any shape and type.")
      .output("noisy", "Shape, type and layout of the input. Integers are rounded and clamped to their type.")
      .random();
  return op;
}

}  // namespace penstock
