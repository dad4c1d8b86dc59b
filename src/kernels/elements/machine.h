// Evaluates a program for a few elements at a time. One body for GPUs, and for the tests that run it on a CPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/elements/draw.h"
#include "kernels/elements/erase.h"
#include "kernels/elements/functions.h"
#include "kernels/elements/job.h"
#include "kernels/elements/known.h"
#include "kernels/elements/lookup.h"
#include "kernels/elements/noise.h"
#include "kernels/elements/taps.h"
#include "kernels/elements/values.h"
#include "kernels/pixel/color.h"
#include "kernels/pixel/color_space.h"

namespace penstock::kernels {

/// Most of a machine's time goes into finding out what to do and where. The one for pixels does it once for several
/// rows of lanes, which lie far from each other along the first axis: neighbours of each are other threads'.
///
/// @tparam Halves converts between float and the bits of float16
template <class Halves, ElementMachine kMachine>
class Machine {
  static constexpr bool kWide = kMachine == ElementMachine::kWide, kPixels = kMachine == ElementMachine::kPixels;
  static constexpr int kWidth = kPixels ? 3 : kLanes, kRows = kPixels ? 4 : 1;
  using Word = std::conditional_t<kWide, uint64_t, uint32_t>;
  using Lanes = Word[kWidth];
  using Rows = Lanes[kRows];

 public:
  static constexpr int kAxes = kPixels ? kPixelAxes : kMaxDims;

  /// At how many places along an axis of the walk machines begin: rows share the first axis.
  static constexpr int32_t begins(const ElementJob& job, int axis) {
    return axis == 0 ? (job.extents[0] + kRows - 1) / kRows : job.extents[axis];
  }

  /// @param index of the first row along the axes of the walk; 0 beyond them
  constexpr Machine(const ElementJob& job, const int32_t (&index)[kAxes], int32_t lane, int32_t lanes)
      : job_(job), index_(index), lane_(lane), lanes_(lanes) {
    for (int r = 1; r < kRows; ++r) {
      const int32_t down = r * begins(job, 0);
      down_[r] = index[0] + down < job.extents[0] ? down : 0;  // beyond the end: what the first row does, once more
    }
  }

  /// Runs the program and writes what comes out.
  constexpr void run(const Instruction* program) {
    if (kPixels && job_.known)
      run_known(ResampleNormalise{}, program);
    else
      for (int32_t i = 0; i < job_.instructions; ++i) step(program[i]);
    store();
  }

 private:
  template <KnownStep... kSteps>
  constexpr void run_known(KnownSteps<kSteps...>, const Instruction* program) {
    (known_step<kSteps>(*program++), ...);
  }

  template <KnownStep kStep>
  constexpr void known_step(const Instruction& in) {
    if constexpr (kStep.step == Step::kResample) {
      resample_rows<uint8_t, 3, 2, 2, true>(&job_.operand[in.operand], *table<ResampleTable>(in));
    } else if constexpr (kStep.step == Step::kConvert) {
      kStep.type == DType::kUInt8 ? to_bytes() : to_floats();
    } else {
      Rows other = {};
      fetch_as<float, true>(job_.operand[in.operand], other);
      combined(kStep.code, value_, other);
    }
  }

  template <class T>
  static constexpr Word word(T value) {
    return static_cast<Word>(put(value));
  }

  // Samples have fewer than 2^31 elements, so 32 bits count them.
  constexpr int32_t place(const ElementOperand& operand) const {
    int32_t at = operand.offset + lane_ * operand.lane_stride;
    for (int axis = 0; axis < kAxes; ++axis) {
      if (axis >= job_.ndim) break;
      at += index_[axis] * operand.strides[axis];
    }
    return at;
  }
  /// How far row r lies from the first one.
  constexpr int32_t below(const ElementOperand& operand, int r) const { return down_[r] * operand.strides[0]; }

  // The types and functions that pictures are made of have code of their own, chosen once for all lanes: most of the
  // machine's time goes into choosing.

  /// @tparam kAlike whether rows are known to be alike
  template <class T, bool kAlike = false>
  constexpr void fetch_as(const ElementOperand& operand, Rows& to) const {
    const T* from = reinterpret_cast<const T*>(operand.data) + place(operand);
    const bool alike = kAlike || operand.strides[0] == 0;
    for_all([&](int r, int k) {
      to[r][k] = r > 0 && alike ? to[0][k] : word(from[below(operand, r) + k * operand.lane_stride]);
    });
  }

  constexpr void store() const {
    const int32_t first = place(job_.result), down = job_.result.strides[0], beside = job_.result.lane_stride;
    const auto as = [&]<class T>(T, auto&& bits) {
      T* to = reinterpret_cast<T*>(job_.out) + first;
      for_all([&](int r, int k) { to[down_[r] * down + k * beside] = static_cast<T>(bits(value_[r][k])); });
    };
    switch (job_.dtype) {
      case DType::kUInt8:
        return as(uint8_t{}, [](Word x) { return x; });
      case DType::kFloat:
        return as(uint32_t{}, [](Word x) { return x; });
      case DType::kFloat16:
        return as(uint16_t{}, [&](Word x) {
          const auto value = get<float>(x);
          return Halves::to_bits(saturates(job_.machine) ? in_half(value) : value);
        });
      default:
        if constexpr (kWide)
          for_lanes([&](int k) { store_value<Halves>(job_.dtype, job_.out, first + k * beside, value_[0][k]); });
    }
  }

  /// Elements of an operand, lane by lane, as they are.
  constexpr void fetch(const Instruction& in, Rows& to) const {
    if (in.operand == kImmediate) return for_all([&](int r, int k) { to[r][k] = static_cast<Word>(in.immediate[0]); });
    const ElementOperand& operand = job_.operand[in.operand];
    const bool plain = !kWide || operand.data;
    if (plain && operand.dtype == DType::kUInt8) return fetch_as<uint8_t>(operand, to);
    if (plain && operand.dtype == DType::kFloat) return fetch_as<float>(operand, to);
    if constexpr (kWide)
      for_lanes([&](int k) {
        const int32_t at = place(operand) + k * operand.lane_stride;
        to[0][k] = operand.data ? load_value<Halves>(operand.dtype, operand.data, at) : put(at);
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
        return for_rows([&](int r) { matrix(*table<Matrix3>(in), value_[r]); });
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
    if (in.step == Step::kDraw) {
      const auto& draws = *table<DrawTable>(in);
      return each([&](Word x) { return draws.wide ? put(wide_drawn(draws, x)) : put(drawn(draws, x)); });
    }
    if (in.step == Step::kLookup) return each([&](Word x) { return put(looked_up(*table<LookupTable>(in), x)); });
    Rows number = {};
    fetch(in, number);
    return in.type == DType::kFloat ? numbered_step<float>(in, number[0]) : numbered_step<double>(in, number[0]);
  }

  /// What depends on the elements' numbers.
  template <class Real>
  constexpr void numbered_step(const Instruction& in, const Lanes& number) {
    if (in.step == Step::kErase)
      return for_lanes(
          [&](int k) { value_[0][k] = put(erased(*table<EraseTable>(in), number[k], get<Real>(value_[0][k]))); });
    Real values[kWidth] = {};
    for_lanes([&](int k) { values[k] = get<Real>(value_[0][k]); });
    add_noise(*table<NoiseTable>(in), number, lanes_, values);
    for_lanes([&](int k) { value_[0][k] = put(values[k]); });
  }

  /// Calls fn(k) for lanes that are in use. Written out, so that lanes stay in registers.
  template <class Fn>
  constexpr void for_lanes(Fn&& fn) const {
    static_assert(kLanes == 4);
    if (kPixels || lanes_ > 0) fn(0);
    if (kPixels || lanes_ > 1) fn(1);
    if (kPixels || lanes_ > 2) fn(2);
    if (!kPixels && lanes_ > 3) fn(3);
  }
  template <class Fn>
  constexpr void for_rows(Fn&& fn) const {
    for (int r = 0; r < kRows; ++r) fn(r);
  }
  template <class Fn>
  constexpr void for_all(Fn&& fn) const {
    for_rows([&](int r) { for_lanes([&](int k) { fn(r, k); }); });
  }
  template <class Fn>
  constexpr void each(Fn&& fn) {
    for_all([&](int r, int k) { value_[r][k] = static_cast<Word>(fn(value_[r][k])); });
  }

  template <class T>
  constexpr const T* table(const Instruction& in) const {
    return reinterpret_cast<const T*>(in.immediate[0]);
  }

  constexpr void to_floats() {
    each([](Word x) { return put(static_cast<float>(static_cast<int32_t>(x))); });
  }
  constexpr void to_bytes() {
    each([](Word x) { return put(to_byte(get<float>(x))); });
  }

  constexpr void convert(const Instruction& in) {
    if (in.type == DType::kFloat && is_small(in.from)) return to_floats();
    if (in.from == DType::kFloat && in.type == DType::kUInt8) return to_bytes();
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
  constexpr void combine(F&&, const Rows& a, const Rows& b) {
    for (int r = 0; r < kRows; ++r)
      for (int k = 0; k < kWidth; ++k) value_[r][k] = word(F{}(get<float>(a[r][k]), get<float>(b[r][k])));
  }

  /// The common functions of floats. True where that was all.
  constexpr bool combined(Code code, const Rows& a, const Rows& b) {
    switch (code) {
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
    Rows other = {};
    if (in.operand != kNoOperand) fetch(in, other);
    if (is_plain(in) && (in.swapped ? combined(in.code, other, value_) : combined(in.code, value_, other))) return;
    if constexpr (kWide) general_function(in, other[0]);
  }

  constexpr void general_function(const Instruction& in, const Lanes& other) {
    const bool divides = (in.code == Code::kDiv || in.code == Code::kMod) && is_whole(in.type);
    for_lanes([&](int k) {
      const uint64_t mine = value_[0][k], his = wrap_value<Halves>(in.from, in.other, other[k]);
      const uint64_t a = in.swapped ? his : mine, b = in.swapped ? mine : his;
      if (divides && b == 0) *job_.refused = 1;
      value_[0][k] = in.swapped ? function_value<Halves>(in.code, in.other, in.type, a, b)
                                : function_value<Halves>(in.code, in.type, in.other, a, b);
    });
  }

  constexpr void matrix(const Matrix3& m, Lanes& pixel) {
    const auto a = get<float>(pixel[0]), b = get<float>(pixel[1]), c = get<float>(pixel[2]);
    for (size_t k = 0; k < 3; ++k) pixel[k] = word(mapped(m, k, a, b, c));
  }

  constexpr void colours(ColourStep step) {
    for_rows([&](int r) {
      Lanes& pixel = value_[r];
      const Rgb p = coloured(
          step, {static_cast<uint8_t>(pixel[0]), static_cast<uint8_t>(pixel[1]), static_cast<uint8_t>(pixel[2])});
      for (size_t k = 0; k < 3; ++k) pixel[k] = p[k];
    });
    if (step == ColourStep::kLuma || step == ColourStep::kExpand) lanes_ = 1;
    if (step == ColourStep::kSpread || step == ColourStep::kCompress) lanes_ = 3;
  }

  static constexpr Rgb coloured(ColourStep step, Rgb p) {
    switch (step) {
      case ColourStep::kLuma:
        return {luma(p), p[1], p[2]};
      case ColourStep::kReverse:
        return reversed(p);
      case ColourStep::kSpread:
        return {p[0], p[0], p[0]};
      case ColourStep::kToYCbCr:
        return to_ycbcr(p);
      case ColourStep::kFromYCbCr:
        return from_ycbcr(p);
      case ColourStep::kExpand:
        return {expanded(p[0]), p[1], p[2]};
      case ColourStep::kCompress:
        return {compressed(p[0]), 128, 128};
    }
    return p;
  }

  constexpr void resample(const Instruction& in, const ResampleTable& taps) {
    const ElementOperand* operand = &job_.operand[in.operand];
    if (operand->dtype == DType::kUInt8) return resample_from<uint8_t>(operand, taps);
    if (operand->dtype == DType::kFloat) return resample_from<float>(operand, taps);
    if constexpr (kWide) {
      if (operand->dtype == DType::kInt16) return resample_from<int16_t>(operand, taps);
      return resample_from<uint16_t>(operand, taps);
    }
  }

  template <class T>
  constexpr void resample_from(const ElementOperand* operand, const ResampleTable& taps) {
    const bool rgb = lanes_ == 3 && operand->lane_stride == 1 && taps.z.taps == 1;
    if (!rgb) return resample_rows<T, 0, 0>(operand, taps);
    switch (taps.y.taps) {
      case 2:
        return taps.x.taps == 2 ? resample_rows<T, 3, 2, 2>(operand, taps) : resample_rows<T, 3, 2>(operand, taps);
      case 3:
        return resample_rows<T, 3, 3>(operand, taps);
      case 4:
        return resample_rows<T, 3, 4>(operand, taps);
      default:
        return resample_rows<T, 3, 0>(operand, taps);
    }
  }

  /// @tparam kCount of lanes that lie side by side in one plane, 0: any; kTaps along y, kAcross along x, 0: any;
  ///   kAlike: whether rows are known to have the same place along z and x
  template <class T, int kCount, int kTaps, int kAcross = 0, bool kAlike = false>
  constexpr void resample_rows(const ElementOperand* operand, const ResampleTable& taps) {
    const int32_t at = place(operand[0]), z = place(operand[1]), y = place(operand[2]), x = place(operand[3]);
    const bool alike = kAlike || (operand[1].strides[0] == 0 && operand[3].strides[0] == 0);  // along z and x
    int32_t beside = 0, zr = z, xr = x;
    for_rows([&](int r) {
      if (r == 0 || !alike) {
        zr = z + below(operand[1], r), xr = x + below(operand[3], r);
        beside = taps.z.first[zr] * taps.z.stride + taps.x.first[xr] * taps.x.stride;
      }
      const int32_t yr = y + below(operand[2], r);
      const T* from = reinterpret_cast<const T*>(operand->data) +
                      (at + below(operand[0], r) + beside + taps.y.first[yr] * taps.y.stride);
      const float *wz = taps.z.weights + zr * taps.z.taps, *wy = taps.y.weights + yr * taps.y.taps,
                  *wx = taps.x.weights + xr * taps.x.taps;
      float sums[kWidth] = {};
      if constexpr (kTaps > 0)
        sum_rgb<kTaps, kAcross>(from, taps, wy, wx, sums);
      else
        sum_taps<kCount>(from, operand->lane_stride, taps, {wz, wy, wx}, lanes_, sums);
      for (int k = 0; k < kWidth; ++k) value_[r][k] = word(sums[k]);
    });
  }

  const ElementJob& job_;
  const int32_t (&index_)[kAxes];
  const int32_t lane_;
  int32_t lanes_;
  int32_t down_[kRows] = {};  ///< how far along the first axis each row lies from the first one
  Rows value_ = {};
};

}  // namespace penstock::kernels
