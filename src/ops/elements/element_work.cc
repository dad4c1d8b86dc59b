#include "ops/elements/element_work.h"

#include <algorithm>
#include <bit>

#include "core/check.h"
#include "kernels/elements/values.h"

namespace penstock {

using kernels::ElementJob;
using kernels::ElementOperand;
using kernels::Instruction;
using kernels::kImmediate;
using kernels::kLanes;
using kernels::Step;
using kernels::Strides;

namespace {

struct HostHalves {
  static float to_float(uint16_t bits) { return static_cast<float>(std::bit_cast<float16>(bits)); }
  static uint16_t to_bits(float value) { return float16(value).bits; }
};

}  // namespace

ElementView ElementView::broadcast(const Shape& tensor, const Shape& result) {
  ElementView view;
  const int missing = result.ndim() - tensor.ndim();
  for (int axis = 0; axis < result.ndim(); ++axis) {
    const auto k = static_cast<size_t>(axis);
    const bool walks = axis >= missing && (tensor[axis - missing] != 1 || result[axis] == 1);
    view.axis[k] = walks ? axis - missing : -1;
    view.step[k] = walks ? 1 : 0;
  }
  return view;
}

int64_t ElementView::offset(const Strides& tensor) const {
  int64_t offset = 0;
  for (size_t a = 0; a < start.size(); ++a) offset += start[a] * tensor[a];
  return offset;
}

Strides ElementView::strides(const Strides& tensor) const {
  Strides strides{};
  for (size_t j = 0; j < axis.size(); ++j)
    if (axis[j] >= 0) strides[j] = step[j] * tensor[static_cast<size_t>(axis[j])];
  return strides;
}

ElementView ElementView::of(const ElementView& inner, int inner_dims) const {
  ElementView joined;
  joined.start = inner.start;
  for (int a = 0; a < inner_dims; ++a) {
    const auto k = static_cast<size_t>(a);
    if (inner.axis[k] >= 0) joined.start[static_cast<size_t>(inner.axis[k])] += inner.step[k] * start[k];
  }
  for (size_t j = 0; j < joined.axis.size(); ++j) {
    const int a = axis[j];
    joined.axis[j] = a < 0 ? -1 : inner.axis[static_cast<size_t>(a)];
    joined.step[j] = a < 0 ? 0 : step[j] * inner.step[static_cast<size_t>(a)];
  }
  return joined;
}

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
  padded_ = false;
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

void ElementWork::pad(const Shape& limits, uint64_t padding) {
  padded_ = true;
  limits_ = limits;
  padding_ = padding;
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
  std::vector<Operand> operands = earlier.operands_;
  for (Operand& operand : operands) operand.view = view.of(operand.view, earlier.shape().ndim());
  std::vector<Instruction> program = earlier.program_;
  const auto moved = static_cast<uint8_t>(operands.size());
  for (size_t i = 1; i < program_.size(); ++i) {
    Instruction instruction = program_[i];
    if (instruction.operand < kImmediate)
      instruction.operand = static_cast<uint8_t>(instruction.operand - (instruction.operand > first ? 1 : 0) + moved);
    program.push_back(instruction);
  }
  for (size_t k = 0; k < operands_.size(); ++k)
    if (k != first) operands.push_back(operands_[k]);
  if (earlier.channels_ > 0) channels_ = earlier.channels_;
  if (earlier.lane_axis_ != kLast) {
    lane_axis_ = -1;
    for (int axis = 0; axis < shape().ndim(); ++axis)
      if (view.axis[static_cast<size_t>(axis)] == earlier.lane_axis_ && earlier.lane_axis_ >= 0) lane_axis_ = axis;
  }
  operands_ = std::move(operands);
  program_ = std::move(program);
}

/// Axes of the result with each operand's strides: neighbours joined where all step over them as over one.
struct ElementWork::Walk {
  int ndim = 0;
  int lane = -1;  // the axis along which lanes lie: that of pixels, else the last
  std::array<int64_t, kMaxDims> extents{};
  std::vector<Strides> strides;  // of operands, then of the result
};

namespace {

int32_t narrow(int64_t number) {
  PENSTOCK_CHECK(number >= INT32_MIN && number <= INT32_MAX, ArgumentError,
                 "on a GPU a sample may have 2^31 elements, not more");
  return static_cast<int32_t>(number);
}

}  // namespace

ElementWork::Walk ElementWork::walk() const {
  const Shape& shape = made_.shape;
  std::vector<Strides> all;
  for (const Operand& operand : operands_) all.push_back(operand.view.strides(kernels::dense_strides(operand.shape)));
  all.push_back(kernels::dense_strides(whole_));
  Walk walk{.ndim = 0, .lane = -1, .extents = {}, .strides = std::vector<Strides>(all.size())};
  bool fixed = false;  // the axis before must stay as it is
  for (int d = 0; d < shape.ndim(); ++d) {
    const auto axis = static_cast<size_t>(d), last = static_cast<size_t>(std::max(walk.ndim - 1, 0));
    if (shape[d] == 1 && d != lane_axis_ && !padded_) continue;
    bool joins = walk.ndim > 0 && !fixed && d != lane_axis_ && !padded_;
    for (size_t k = 0; k < all.size(); ++k) joins = joins && walk.strides[k][last] == all[k][axis] * shape[d];
    fixed = d == lane_axis_;
    const size_t at = joins ? last : static_cast<size_t>(walk.ndim++);
    if (d == lane_axis_) walk.lane = static_cast<int>(at);
    walk.extents[at] = joins ? walk.extents[at] * shape[d] : shape[d];
    for (size_t k = 0; k < all.size(); ++k) walk.strides[k][at] = all[k][axis];
  }
  if (lane_axis_ == kLast) walk.lane = walk.ndim - 1;
  return walk;
}

void ElementWork::write(device::Staging& staging, std::span<const int> values, ElementJob& job) const {
  PENSTOCK_CHECK(fits(static_cast<int>(operands_.size()), static_cast<int>(program_.size())), InternalError,
                 "a program of {} steps on {} operands is too long", program_.size(), operands_.size());
  narrow(made_.shape.volume());
  const Walk w = walk();
  const auto describe = [&](const Strides& strides, int64_t offset, ElementOperand& to) {
    to.offset = narrow(offset);
    int rest = 0;
    for (int d = 0; d < w.ndim; ++d) {
      const int32_t stride = narrow(strides[static_cast<size_t>(d)]);
      if (d == w.lane)
        to.lane_stride = stride;
      else
        to.strides[rest++] = stride;
    }
  };
  for (size_t k = 0; k < operands_.size(); ++k) {
    const Operand& operand = operands_[k];
    narrow(operand.shape.volume());
    describe(w.strides[k], operand.view.offset(kernels::dense_strides(operand.shape)), job.operand[k]);
    job.operand[k].dtype = operand.dtype;
    job.operand[k].data = operand.table;
    job.inputs[k] = -1;
    if (operand.value >= 0)
      job.inputs[k] = static_cast<int32_t>(std::find(values.begin(), values.end(), operand.value) - values.begin());
  }
  job.operands = static_cast<int32_t>(operands_.size());
  int64_t offset = 0;
  for (int d = 0; d < start_.ndim(); ++d) offset += start_[d] * kernels::dense_strides(whole_)[static_cast<size_t>(d)];
  describe(w.strides.back(), offset, job.result);
  int rest = 0;
  job.lane_extent = 1;
  for (int d = 0; d < w.ndim; ++d) {
    const auto extent = narrow(w.extents[static_cast<size_t>(d)]);
    if (d == w.lane) {
      job.lane_extent = extent;
      if (padded_) job.lane_limit = narrow(limits_[d]);
    } else {
      if (padded_) job.limits[rest] = narrow(limits_[d]);
      job.extents[rest++] = extent;
    }
  }
  job.ndim = rest;
  job.lanes = static_cast<int32_t>(channels_ > 0 ? channels_ : std::clamp<int64_t>(job.lane_extent, 1, kLanes));
  if (channels_ > 0) job.lane_extent = job.lanes;  // as many as the program begins with, one chunk
  job.limited = padded_;
  job.padding = padding_;
  job.dtype = made_.dtype;
  job.program = staging.put(std::span<const Instruction>(program_));
  job.instructions = static_cast<int32_t>(program_.size());
  job.narrow = suits_narrow_machine();
}

uint64_t value_at(DType dtype, const std::byte* element) { return kernels::load_value<HostHalves>(dtype, element, 0); }

bool ElementWork::suits_narrow_machine() const {
  const auto step = [](const Instruction& in) {
    const bool from_float = in.from == DType::kFloat;
    if (in.step == Step::kConvert || in.step == Step::kWrap)
      return (in.type == DType::kFloat && kernels::is_small(in.from)) ||
             (from_float && (in.type == DType::kUInt8 || in.type == DType::kFloat16));
    if (in.step == Step::kFunction) return kernels::is_plain(in);
    return in.step == Step::kLoad || in.step == Step::kMatrix3 || in.step == Step::kColours ||
           in.step == Step::kResample;
  };
  const auto type = [](DType dtype) { return dtype == DType::kUInt8 || dtype == DType::kFloat; };
  const bool resamples = !program_.empty() && program_[0].step == Step::kResample;
  for (size_t k = resamples ? 4 : 0; k < operands_.size(); ++k)  // the first four are the resampler's own
    if (!type(operands_[k].dtype) || (operands_[k].value < 0 && !operands_[k].table && !padded_)) return false;
  return !padded_ && (type(made_.dtype) || made_.dtype == DType::kFloat16) &&
         std::all_of(program_.begin(), program_.end(), step);
}

TensorDesc held_part(const Value& value) { return cut(value.tensor, value.held); }

ElementView view_in_place(const Value& in, const Value& out) {
  ElementView view = ElementView::broadcast(held_part(in).shape, held_part(out).shape);
  const int ndim = in.tensor.shape.ndim();
  for (int axis = 0; axis < ndim; ++axis) {
    view.axis[static_cast<size_t>(axis)] = axis;
    view.step[static_cast<size_t>(axis)] = 1;
    const char letter = in.tensor.layout.empty() ? '\0' : in.tensor.layout[axis];
    if (letter == 'H') view.start[static_cast<size_t>(axis)] = out.held.y0 - in.held.y0;
    if (letter == 'W') view.start[static_cast<size_t>(axis)] = out.held.x0 - in.held.x0;
  }
  return view;
}

}  // namespace penstock
