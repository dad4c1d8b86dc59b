// How a program is written down for the machine.
#include <algorithm>

#include "core/check.h"
#include "core/small_list.h"
#include "kernels/elements/byte_map.h"
#include "kernels/elements/known.h"
#include "kernels/elements/line.h"
#include "kernels/elements/values.h"
#include "ops/elements/element_work.h"

namespace penstock {

using kernels::ElementJob;
using kernels::ElementMachine;
using kernels::ElementOperand;
using kernels::Instruction;
using kernels::kLanes;
using kernels::Step;
using kernels::Strides;

/// One for each operand and one for the result.
template <class T>
using OfAll = SmallList<T, kernels::kMaxElementOperands + 1>;

/// Axes of the result with each operand's strides: neighbours joined where all step over them as over one.
struct ElementWork::Walk {
  int ndim = 0;
  int lane = -1;  // the axis along which lanes lie: that of pixels, else the last
  std::array<int64_t, kMaxDims> extents{};
  OfAll<Strides> strides;  // of operands, then of the result
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
  OfAll<Strides> all;
  for (const Operand& operand : operands_) all.push_back(operand.view.strides(kernels::dense_strides(operand.shape)));
  all.push_back(kernels::dense_strides(whole_));
  Walk walk{.ndim = 0, .lane = -1, .extents = {}, .strides = OfAll<Strides>(all.size(), Strides{})};
  bool fixed = false;  // the axis before must stay as it is
  for (int d = 0; d < shape.ndim(); ++d) {
    const auto axis = static_cast<size_t>(d), last = static_cast<size_t>(std::max(walk.ndim - 1, 0));
    if (shape[d] == 1 && d != lane_axis_) continue;
    bool joins = walk.ndim > 0 && !fixed && d != lane_axis_;
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
    } else {
      job.extents[rest++] = extent;
    }
  }
  job.ndim = rest;
  job.lanes = static_cast<int32_t>(channels_ > 0 ? channels_ : std::clamp<int64_t>(job.lane_extent, 1, kLanes));
  if (channels_ > 0) job.lane_extent = job.lanes;  // as many as the program begins with, one chunk
  job.dtype = made_.dtype;
  job.machine = machine_for(job);
  const std::span<const Instruction> steps = steps_for(job.machine);
  job.known = kernels::ResampleNormalise::are(job, steps);
  job.line = kernels::suits_line(job, steps);
  job.bytes = kernels::suits_byte_map(job, steps);
  job.program = staging.put(steps);
  job.instructions = static_cast<int32_t>(steps.size());
  job.room_bytes = room_bytes_;
}

ElementMachine ElementWork::machine_for(const ElementJob& job) const {
  if (!suits_narrow_machine()) return ElementMachine::kWide;
  const bool pixels = job.lanes == 3 && job.lane_extent == 3 && job.ndim > 0 && job.ndim <= kernels::kPixelAxes;
  return pixels && std::none_of(program_.begin(), program_.end(), kernels::changes_lanes) ? ElementMachine::kPixels
                                                                                          : ElementMachine::kNarrow;
}

std::span<const Instruction> ElementWork::steps_for(ElementMachine machine) const {
  const std::span<const Instruction> all(program_);
  const Instruction& last = all.back();
  const bool stored_so = saturates(machine) && last.step == Step::kConvert && last.type == DType::kFloat16;
  return all.first(all.size() - (stored_so ? 1 : 0));
}

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
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (resamples && (k == 1 || k == 2 || k == 3)) continue;  // indices, without data
    if (!type(operands_[k].dtype) || (operands_[k].value < 0 && !operands_[k].table)) return false;
  }
  return (type(made_.dtype) || made_.dtype == DType::kFloat16) && std::all_of(program_.begin(), program_.end(), step);
}

}  // namespace penstock
