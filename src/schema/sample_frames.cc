// Samples that are made frame by frame: the operator sees one frame of each input and argument that is a sequence, and
// all of the others.
#include <algorithm>

#include "core/check.h"
#include "schema/frame.h"

namespace penstock {
namespace {

bool is_sequence(const TensorDesc& desc) { return !desc.layout.empty() && desc.layout[0] == 'F'; }

TensorDesc frame_of(const TensorDesc& desc) {
  TensorDesc frame = desc;
  frame.shape.erase(0);
  frame.layout.erase(0);
  return frame;
}

TensorDesc sequence_of(const TensorDesc& frame, int64_t count) {
  TensorDesc sequence = frame;
  sequence.shape.insert(0, count);
  const std::string letters = frame.layout.empty() ? std::string(static_cast<size_t>(frame.shape.ndim()), '*')
                                                   : std::string(frame.layout.view());
  sequence.layout = Layout("F" + letters);
  return sequence;
}

int64_t bytes_of(const Value& frame) { return static_cast<int64_t>(bytes_of(frame.tensor, frame.held)); }

/// Frame `i` of a sequence, of which it holds the same region; or the value itself. One frame stands for all.
Value frame_value(const Value& value, int64_t i) {
  if (!is_sequence(value.tensor)) return value;
  if (value.tensor.shape[0] == 1) i = 0;
  Value frame = value;
  frame.describe(frame_of(value.tensor));
  frame.held = value.held.without_first();
  if (value.tensor.data) frame.tensor.data = value.tensor.data + (i - value.held.begin(0)) * bytes_of(frame);
  return frame;
}

/// How many frames inputs and arguments agree on. One value stands for all, so any other number overrules it.
struct FrameCount {
  int64_t count = 0;
  std::string counted;  // what has so many

  bool one_holds_for_all() const { return count == 1; }

  void add(const std::string& name, int64_t frames) {
    PENSTOCK_CHECK(frames > 0, ArgumentError, "{} has no values: a sequence needs frames", name);
    PENSTOCK_CHECK(count <= 1 || frames == 1 || frames == count, ArgumentError,
                   "{} has values for {} frames and {} for {}", counted, count, name, frames);
    if (count <= 1) count = frames, counted = name;
  }

  void check(const TensorDesc& input) const {
    PENSTOCK_CHECK(input.layout.find('F') <= 0, ArgumentError,
                   "{} has a value for each frame, but in the layout \"{}\" frames do not come first", counted,
                   input.layout.view());
    PENSTOCK_CHECK(!is_sequence(input) || input.shape[0] == count, ArgumentError,
                   "{} has values for {} frames where the input has {}", counted, count, input.shape[0]);
  }
};

}  // namespace

void SampleRunner::allow_per_frame(const std::string& name) { per_frame_.back() = name; }

SampleRunner::Frame& SampleRunner::frame(int64_t i) {
  while (static_cast<int64_t>(frames_.size()) <= i) {
    Frame& made = *frames_.emplace_back(std::make_unique<Frame>(op_, mix64(seed_, frames_.size())));
    for (size_t k = 0; k < sample_.inputs_.size(); ++k) made.runner.add_input(&made.inputs.emplace_back());
    for (size_t k = 0; k < sample_.arg_inputs_.size(); ++k) made.runner.add_arg_input(&made.arg_inputs.emplace_back());
    for (size_t k = 0; k < sample_.outputs_.size(); ++k) made.runner.add_output(&made.outputs.emplace_back());
  }
  return *frames_[static_cast<size_t>(i)];
}

int64_t SampleRunner::count_frames() const {
  if (op_.traits().of_sequences) return 0;
  FrameCount frames;
  for (size_t k = 0; k < per_frame_.size(); ++k) {
    const TensorDesc& given = sample_.arg_inputs_[k]->tensor;
    if (!per_frame_[k].empty() && is_sequence(given)) frames.add("argument `" + per_frame_[k] + "`", given.shape[0]);
  }
  for (int k = 0; k < sample_.num_inputs(); ++k) {
    const TensorDesc& given = sample_.in(k).tensor;
    if (is_sequence(given) && (op_.traits().is_per_frame(k) || frames.one_holds_for_all()))
      frames.add("input " + std::to_string(k), given.shape[0]);
  }
  if (frames.count == 0) return 0;
  for (const Value* input : sample_.inputs_) frames.check(input->tensor);
  return frames.count;
}

void SampleRunner::infer_frames(const SampleId& id) {
  last_inputs_.clear();
  last_outputs_.clear();
  repeats_ = false;
  std::vector<Sample*> frames;
  bool alike = true;
  for (int64_t i = 0; i < num_frames_; ++i) {
    Frame& one = frame(i);
    one.runner.set_arena(sample_.arena_);
    for (size_t k = 0; k < one.inputs.size(); ++k) one.inputs[k] = frame_value(*sample_.inputs_[k], i);
    for (size_t k = 0; k < one.arg_inputs.size(); ++k)
      one.arg_inputs[k] = per_frame_[k].empty() ? *sample_.arg_inputs_[k] : frame_value(*sample_.arg_inputs_[k], i);
    for (Value& output : one.outputs) output = Value{};
    one.runner.infer(id);
    for (size_t k = 0; k < one.outputs.size(); ++k)
      alike = alike && one.outputs[k].tensor.shape == frame(0).outputs[k].tensor.shape;
    frames.push_back(&one.runner.sample());
  }
  const FrameSizes* sizes = op_.traits().frame_sizes;
  PENSTOCK_CHECK(alike || sizes, ArgumentError,
                 "frames of one sequence would have different shapes, {} and another one",
                 to_string(frame(0).outputs[0].tensor.shape));
  if (!alike) sizes->infer_alike(frames);
  for (size_t k = 0; k < sample_.outputs_.size(); ++k)
    sample_.outputs_[k]->describe(sequence_of(frame(0).outputs[k].tensor, num_frames_));
}

void SampleRunner::need_frames() {
  first_wanted_ = num_frames_, end_of_wanted_ = 0;
  for (const Region& wanted : sample_.wanted_) {
    if (wanted.empty()) continue;
    first_wanted_ = std::min(first_wanted_, wanted.begin(0));
    end_of_wanted_ = std::max(end_of_wanted_, wanted.end(0));
  }
  for (Region& wanted : sample_.wanted_)
    if (!wanted.empty()) wanted.set(0, first_wanted_, end_of_wanted_);
  std::fill(sample_.needed_.begin(), sample_.needed_.end(), Region{});
  for (int64_t i = first_wanted_; i < end_of_wanted_; ++i) {
    SampleRunner& runner = frame(i).runner;
    for (size_t k = 0; k < sample_.wanted_.size(); ++k) runner.sample_.wanted_[k] = sample_.wanted_[k].without_first();
    runner.need();
    for (size_t k = 0; k < sample_.needed_.size(); ++k) {
      const Region& needed = runner.sample_.needed_[k];
      const bool sequence = is_sequence(sample_.inputs_[k]->tensor);
      sample_.needed_[k].unite(sequence ? needed.with_first(i, i + 1) : needed);
    }
  }
}

void SampleRunner::run_frames() {
  for (int64_t i = first_wanted_; i < end_of_wanted_; ++i) {
    Frame& one = frame(i);
    for (size_t k = 0; k < one.inputs.size(); ++k) {
      Value input = frame_value(*sample_.inputs_[k], i);
      one.inputs[k].held = input.held;
      one.inputs[k].tensor.data = input.tensor.data;
    }
    for (size_t k = 0; k < one.outputs.size(); ++k) {
      const Value& sequence = *sample_.outputs_[k];
      Value& output = one.outputs[k];
      output.held = sequence.held.without_first();
      output.tensor.data = sequence.tensor.data + (i - sequence.held.begin(0)) * bytes_of(output);
    }
    one.runner.run();
  }
}

}  // namespace penstock
