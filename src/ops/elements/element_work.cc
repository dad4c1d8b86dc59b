#include "ops/elements/element_work.h"

#include <bit>

#include "core/check.h"
#include "kernels/elements/values.h"

namespace penstock {

using kernels::Instruction;
using kernels::kImmediate;
using kernels::Step;

namespace {

struct HostHalves {
  static float to_float(uint16_t bits) { return static_cast<float>(std::bit_cast<float16>(bits)); }
  static uint16_t to_bits(float value) { return float16(value).bits; }
};

}  // namespace

uint64_t ElementWork::bits(float value) { return kernels::put(value); }

void ElementWork::begin(const TensorDesc& made) {
  made_ = made;
  whole_ = made.shape;
  start_ = Shape{};
  for (int i = 0; i < made.shape.ndim(); ++i) start_.push_back(0);
  operands_.clear();
  program_.clear();
  type_ = DType::kNone;
  lane_axis_ = kLast;
  channels_ = 0;
  room_bytes_ = 0;
}

uint8_t ElementWork::input(int i, const TensorDesc& held, const ElementView& view) {
  operands_.push_back({.value = i, .table = nullptr, .dtype = held.dtype, .shape = held.shape, .view = view});
  return static_cast<uint8_t>(operands_.size() - 1);
}

uint8_t ElementWork::table(const void* on_gpu, DType dtype, const Shape& shape, const ElementView& view) {
  operands_.push_back(
      {.value = -1, .table = static_cast<const std::byte*>(on_gpu), .dtype = dtype, .shape = shape, .view = view});
  return static_cast<uint8_t>(operands_.size() - 1);
}

uint8_t ElementWork::number(const Shape& shape, const ElementView& view) {
  return table(nullptr, DType::kInt64, shape, view);
}

void ElementWork::load(uint8_t operand) {
  const DType dtype = operands_[operand].dtype;
  add({.step = Step::kLoad, .operand = operand, .type = dtype}, dtype);
}

void ElementWork::load_value(DType dtype, uint64_t value) {
  add({.step = Step::kLoad, .operand = kImmediate, .type = dtype, .immediate = {value, 0}}, dtype);
}

void ElementWork::convert(DType to) {
  if (to != type_) add({.step = Step::kConvert, .type = to, .from = type_}, to);
}

void ElementWork::wrap(DType to) {
  if (to != type_) add({.step = Step::kWrap, .type = to, .from = type_}, to);
}

void ElementWork::apply(kernels::Code code, DType type) {
  add({.step = Step::kFunction, .code = code, .type = type, .from = type, .other = type},
      code >= kernels::Code::kEqual ? DType::kBool : type);
}

void ElementWork::apply(kernels::Code code, DType type, uint8_t operand, DType other, bool swapped) {
  add({.step = Step::kFunction,
       .code = code,
       .operand = operand,
       .swapped = swapped,
       .type = type,
       .from = operands_[operand].dtype,
       .other = other},
      code >= kernels::Code::kEqual ? DType::kBool : type);
}

void ElementWork::apply_value(kernels::Code code, DType type, DType dtype, uint64_t value, DType other, bool swapped) {
  value = kernels::wrap_value<HostHalves>(dtype, other, value);
  add({.step = Step::kFunction,
       .code = code,
       .operand = kImmediate,
       .swapped = swapped,
       .type = type,
       .from = other,
       .other = other,
       .immediate = {value, 0}},
      code >= kernels::Code::kEqual ? DType::kBool : type);
}

void ElementWork::take_pixels(int axis, int64_t channels) {
  lane_axis_ = axis;
  channels_ = channels;
}

void ElementWork::lay_lanes(int axis) {
  lane_axis_ = axis;
  channels_ = 0;
}

void ElementWork::place(const Shape& whole, const Shape& start) {
  whole_ = whole;
  start_ = start;
}

void ElementWork::name_inputs(std::span<const int> values) {
  for (Operand& operand : operands_)
    if (operand.value >= 0) operand.value = values[static_cast<size_t>(operand.value)];
}

void ElementWork::follow(const ElementWork& earlier, int value) {
  const uint8_t first = program_.front().operand;
  const ElementView view = operands_[first].view;
  PENSTOCK_CHECK(operands_[first].value == value, InternalError, "a program does not begin with what it follows");
  const auto moved = static_cast<uint8_t>(earlier.operands_.size());
  for (Instruction& instruction : program_)
    if (instruction.operand < kImmediate)
      instruction.operand = static_cast<uint8_t>(instruction.operand - (instruction.operand > first ? 1 : 0) + moved);
  program_.erase(program_.begin());
  program_.insert(program_.begin(), earlier.program_.begin(), earlier.program_.end());
  operands_.erase(operands_.begin() + first);
  operands_.insert(operands_.begin(), earlier.operands_.begin(), earlier.operands_.end());
  for (size_t k = 0; k < moved; ++k) operands_[k].view = view.of(operands_[k].view, earlier.shape().ndim());
  room_bytes_ += earlier.room_bytes_;
  if (earlier.channels_ > 0) channels_ = earlier.channels_;
  if (earlier.lane_axis_ != kLast) {
    lane_axis_ = -1;
    for (int axis = 0; axis < shape().ndim(); ++axis)
      if (view.axis[static_cast<size_t>(axis)] == earlier.lane_axis_ && earlier.lane_axis_ >= 0) lane_axis_ = axis;
  }
}

uint64_t value_at(DType dtype, const std::byte* element) { return kernels::load_value<HostHalves>(dtype, element, 0); }

}  // namespace penstock
