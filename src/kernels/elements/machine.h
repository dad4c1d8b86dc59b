// Evaluates a program for a few elements at a time. One body for GPUs, and for the tests that run it on a CPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/elements/draw.h"
#include "kernels/elements/functions.h"
#include "kernels/elements/job.h"
#include "kernels/elements/values.h"
#include "kernels/pixel/color.h"
#include "kernels/pixel/color_space.h"

namespace penstock::kernels {

/// @tparam Halves converts between float and the bits of float16
/// @tparam kWide false: runs programs that are narrow() alone, in registers of 32 bits
template <class Halves, bool kWide>
class Machine {
  using Word = std::conditional_t<kWide, uint64_t, uint32_t>;

 public:
  /// @param index of the element along the axes of the walk; 0 beyond them
  constexpr Machine(const ElementJob& job, const int32_t (&index)[kMaxDims], int32_t lane, int32_t lanes)
      : job_(job), index_(index), lane_(lane), lanes_(lanes) {}

  /// Runs the program and writes what comes out.
  constexpr void run(const Instruction* program) {
    for (int32_t i = 0; i < job_.instructions; ++i) step(program[i]);
    store();
  }

 private:
  template <class T>
  static constexpr Word word(T value) {
    return static_cast<Word>(put(value));
  }

  // Samples have fewer than 2^31 elements, so 32 bits count them.
  constexpr int32_t place(const ElementOperand& operand) const {
    int32_t at = operand.offset + lane_ * operand.lane_stride;
    for (int axis = 0; axis < kMaxDims; ++axis) {
      if (axis >= job_.ndim) break;
      at += index_[axis] * operand.strides[axis];
    }
    return at;
  }

  // The types and functions that pictures are made of have code of their own, chosen once for all lanes: most of the
  // machine's time goes into choosing.
  template <class T>
  constexpr void fetch_as(const ElementOperand& operand, int32_t first, Word (&to)[kLanes]) const {
    const T* from = reinterpret_cast<const T*>(operand.data) + first;
    for_lanes([&](int k) { to[k] = word(from[k * operand.lane_stride]); });
  }

  constexpr void store() const {
    const int32_t first = place(job_.result);
    const auto as = [&]<class T>(T, auto&& bits) {
      T* to = reinterpret_cast<T*>(job_.out) + first;
      for_lanes([&](int k) { to[k * job_.result.lane_stride] = static_cast<T>(bits(value_[k])); });
    };
    switch (job_.dtype) {
      case DType::kUInt8:
        return as(uint8_t{}, [](Word x) { return x; });
      case DType::kFloat:
        return as(uint32_t{}, [](Word x) { return x; });
      case DType::kFloat16:
        return as(uint16_t{}, [](Word x) { return Halves::to_bits(get<float>(x)); });
      default:
        if constexpr (kWide)
          for_lanes([&](int k) {
            store_value<Halves>(job_.dtype, job_.out, first + k * job_.result.lane_stride, value_[k]);
          });
    }
  }

  constexpr bool outside(int k) const {
    bool beyond = lane_ + k >= job_.lane_limit;
    for (int axis = 0; axis < kMaxDims; ++axis) beyond |= axis < job_.ndim && index_[axis] >= job_.limits[axis];
    return beyond;
  }

  /// Elements of an operand, lane by lane, as they are.
  constexpr void fetch(const Instruction& in, Word (&to)[kLanes]) const {
    if (in.operand == kImmediate) {
      for (int k = 0; k < kLanes; ++k) to[k] = static_cast<Word>(in.immediate[0]);
      return;
    }
    const ElementOperand& operand = job_.operand[in.operand];
    const int32_t first = place(operand);
    const bool plain = !kWide || (operand.data && !(job_.limited && in.operand == 0));
    if (plain && operand.dtype == DType::kUInt8) return fetch_as<uint8_t>(operand, first, to);
    if (plain && operand.dtype == DType::kFloat) return fetch_as<float>(operand, first, to);
    if constexpr (kWide)
      for_lanes([&](int k) {
        const int32_t at = first + k * operand.lane_stride;
        if (job_.limited && in.operand == 0 && outside(k))
          to[k] = job_.padding;
        else
          to[k] = operand.data ? load_value<Halves>(operand.dtype, operand.data, at) : put(at);
      });
  }

  constexpr void step(const Instruction& in) {
    switch (in.step) {
      case Step::kLoad:
        return fetch(in, value_);
      case Step::kConvert:
      case Step::kWrap:
        return convert(in);
      case Step::kFunction:
        return function(in);
      case Step::kMatrix3:
        return matrix(*table<Matrix3>(in));
      case Step::kColours:
        return colours(static_cast<ColourStep>(in.option));
      case Step::kResample:
        return resample(in, *table<ResampleTable>(in));
      default:
        if constexpr (kWide) wide_step(in);
    }
  }

  constexpr void wide_step(const Instruction& in) {
    if (in.step == Step::kSelect) return each([&](Word x) { return x != 0 ? in.immediate[0] : in.immediate[1]; });
    if (in.step == Step::kTruncate) return each([](Word x) { return put(std::trunc(get<double>(x))); });
    each([&](Word x) { return put(drawn(*table<DrawTable>(in), x)); });
  }

  /// Calls fn(k) for lanes that are in use. Written out, so that lanes stay in registers.
  template <class Fn>
  constexpr void for_lanes(Fn&& fn) const {
    static_assert(kLanes == 4);
    if (lanes_ > 0) fn(0);
    if (lanes_ > 1) fn(1);
    if (lanes_ > 2) fn(2);
    if (lanes_ > 3) fn(3);
  }
  template <class Fn>
  constexpr void each(Fn&& fn) {
    for_lanes([&](int k) { value_[k] = static_cast<Word>(fn(value_[k])); });
  }

  template <class T>
  constexpr const T* table(const Instruction& in) const {
    return reinterpret_cast<const T*>(in.immediate[0]);
  }

  constexpr void convert(const Instruction& in) {
    if (in.type == DType::kFloat && is_small(in.from))
      return each([](Word x) { return put(static_cast<float>(static_cast<int32_t>(x))); });
    if (in.from == DType::kFloat && in.type == DType::kUInt8)
      return each([](Word x) { return put(to_byte(get<float>(x))); });
    if (in.from == DType::kFloat && in.type == DType::kFloat16)
      return each([](Word x) { return halved<Halves>(DType::kFloat16, x); });
    if constexpr (kWide) {
      if (in.step == Step::kWrap)
        each([&](Word x) { return wrap_value<Halves>(in.from, in.type, x); });
      else
        each([&](Word x) { return convert_value<Halves>(in.from, in.type, x); });
    }
  }

  template <class F>
  constexpr void combine(F&&, const Word (&a)[kLanes], const Word (&b)[kLanes]) {
    for (int k = 0; k < kLanes; ++k) value_[k] = word(F{}(get<float>(a[k]), get<float>(b[k])));
  }

  /// The common functions of floats. True where that was all.
  constexpr bool combined(const Instruction& in, const Word (&a)[kLanes], const Word (&b)[kLanes]) {
    if (!is_plain(in)) return false;
    switch (in.code) {
      case Code::kAdd:
        combine(functors::Add{}, a, b);
        return true;
      case Code::kSub:
        combine(functors::Sub{}, a, b);
        return true;
      case Code::kMul:
        combine(functors::Mul{}, a, b);
        return true;
      case Code::kDivide:
        combine(functors::Divide{}, a, b);
        return true;
      default:
        return false;
    }
  }

  constexpr void function(const Instruction& in) {
    Word other[kLanes] = {};
    if (in.operand != kNoOperand) fetch(in, other);
    if (in.swapped ? combined(in, other, value_) : combined(in, value_, other)) return;
    if constexpr (kWide) general_function(in, other);
  }

  constexpr void general_function(const Instruction& in, const Word (&other)[kLanes]) {
    const bool divides = (in.code == Code::kDiv || in.code == Code::kMod) && is_whole(in.type);
    for_lanes([&](int k) {
      const uint64_t mine = value_[k], his = wrap_value<Halves>(in.from, in.other, other[k]);
      const uint64_t a = in.swapped ? his : mine, b = in.swapped ? mine : his;
      if (divides && b == 0) *job_.refused = 1;
      value_[k] = in.swapped ? function_value<Halves>(in.code, in.other, in.type, a, b)
                             : function_value<Halves>(in.code, in.type, in.other, a, b);
    });
  }

  constexpr void matrix(const Matrix3& m) {
    const auto a = get<float>(value_[0]), b = get<float>(value_[1]), c = get<float>(value_[2]);
    for (size_t k = 0; k < 3; ++k) value_[k] = word(mapped(m, k, a, b, c));
  }

  constexpr void colours(ColourStep step) {
    Rgb p = {static_cast<uint8_t>(value_[0]), static_cast<uint8_t>(value_[1]), static_cast<uint8_t>(value_[2])};
    switch (step) {
      case ColourStep::kLuma:
        p[0] = luma(p);
        break;
      case ColourStep::kReverse:
        p = reversed(p);
        break;
      case ColourStep::kSpread:
        p = {p[0], p[0], p[0]};
        break;
      case ColourStep::kToYCbCr:
        p = to_ycbcr(p);
        break;
      case ColourStep::kFromYCbCr:
        p = from_ycbcr(p);
        break;
      case ColourStep::kExpand:
        p[0] = expanded(p[0]);
        break;
      case ColourStep::kCompress:
        p = {compressed(p[0]), 128, 128};
        break;
    }
    if (step == ColourStep::kLuma || step == ColourStep::kExpand) lanes_ = 1;
    if (step == ColourStep::kSpread || step == ColourStep::kCompress) lanes_ = 3;
    for (size_t k = 0; k < 3; ++k) value_[k] = p[k];
  }

  /// Sums along y, then x, then z. The CPU may go another way, so float results differ in the last bits.
  constexpr void resample(const Instruction& in, const ResampleTable& taps) {
    const ElementOperand* operand = &job_.operand[in.operand];
    switch (operand->dtype) {
      case DType::kUInt8:
        return resample_from<uint8_t>(operand, taps);
      case DType::kInt16:
        return resample_from<int16_t>(operand, taps);
      case DType::kUInt16:
        return resample_from<uint16_t>(operand, taps);
      default:
        return resample_from<float>(operand, taps);
    }
  }

  template <class T>
  constexpr void resample_from(const ElementOperand* operand, const ResampleTable& taps) {
    const bool rgb = lanes_ == 3 && operand->lane_stride == 1 && taps.z.taps == 1;
    if (rgb && taps.x.taps == 2 && taps.y.taps == 2)
      resample_lanes<T, 3, 2>(operand, taps);
    else if (rgb)
      resample_lanes<T, 3, 0>(operand, taps);
    else
      resample_lanes<T, 0, 0>(operand, taps);
  }

  /// @tparam kCount of lanes that lie side by side in one plane, 0: any; kTaps of both axes, 0: any
  template <class T, int kCount, int kTaps>
  constexpr void resample_lanes(const ElementOperand* operand, const ResampleTable& taps) {
    constexpr int kMost = kCount > 0 ? kCount : kLanes;
    const int32_t z = place(operand[1]), y = place(operand[2]), x = place(operand[3]);
    const T* from = reinterpret_cast<const T*>(operand->data) + place(operand[0]) + taps.z.first[z] * taps.z.stride +
                    taps.y.first[y] * taps.y.stride + taps.x.first[x] * taps.x.stride;
    const float *wz = taps.z.weights + z * taps.z.taps, *wy = taps.y.weights + y * taps.y.taps,
                *wx = taps.x.weights + x * taps.x.taps;
    const int32_t planes = kCount > 0 ? 1 : taps.z.taps, columns = kTaps > 0 ? kTaps : taps.x.taps,
                  rows = kTaps > 0 ? kTaps : taps.y.taps, apart = kCount > 0 ? 1 : operand->lane_stride;
    float sum[kMost] = {};
    for (int32_t k = 0; k < planes; ++k) {
      float plane[kMost] = {};
      for (int32_t j = 0; j < columns; ++j) {
        const T* column = from + k * taps.z.stride + j * taps.x.stride;
        float down[kMost] = {};
        for (int32_t i = 0; i < rows; ++i, column += taps.y.stride)
          for (int lane = 0; lane < kMost; ++lane)
            if (kCount > 0 || lane < lanes_)
              down[lane] = std::fma(wy[i], static_cast<float>(column[lane * apart]), down[lane]);
        for (int lane = 0; lane < kMost; ++lane) plane[lane] = std::fma(wx[j], down[lane], plane[lane]);
      }
      // One plane is taken as it is: its weight is 1.
      for (int lane = 0; lane < kMost; ++lane)
        sum[lane] = planes == 1 ? plane[lane] : std::fma(wz[k], plane[lane], sum[lane]);
    }
    for (int lane = 0; lane < kMost; ++lane) value_[lane] = word(sum[lane]);
  }

  const ElementJob& job_;
  const int32_t (&index_)[kMaxDims];
  const int32_t lane_;
  int32_t lanes_;
  Word value_[kLanes] = {};
};

}  // namespace penstock::kernels
