#include "schema/sample_runner.h"

#include <algorithm>

#include "schema/frame.h"

namespace penstock {

SampleRunner::SampleRunner(const SampleOperatorBase& op, uint64_t seed)
    : op_(op), seed_(seed), local_(op.make_local()) {
  sample_.local_ = local_.get();
  sample_.seed_ = seed;
}

SampleRunner::~SampleRunner() = default;

bool SampleRunner::is_like_the_last() const {
  return std::ranges::equal(sample_.inputs_, last_inputs_, [](const Value* input, const TensorDesc& last) {
    return static_cast<const TensorDesc&>(input->tensor) == last;
  });
}

void SampleRunner::infer(const SampleId& id) {
  sample_.id_ = &id;
  num_frames_ = may_have_frames() ? count_frames() : 0;
  if (by_frames()) return infer_frames(id);
  repeats_ = !last_outputs_.empty() && is_like_the_last();
  if (repeats_) {
    for (size_t i = 0; i < last_outputs_.size(); ++i) sample_.outputs_[i]->describe(last_outputs_[i]);
    return;
  }
  last_inputs_.clear();
  last_outputs_.clear();
  op_.prepare(sample_);
  op_.infer(sample_);
  if (!op_.traits().goes_by_descriptors || !sample_.arg_inputs_.empty()) return;
  for (const Value* input : sample_.inputs_) last_inputs_.push_back(input->tensor);
  for (const Value* output : sample_.outputs_) last_outputs_.push_back(output->tensor);
}

bool SampleRunner::is_partial(const TensorDesc& desc, int axis) const {
  if (axis == 0 && by_frames()) return true;
  std::string_view axes = op_.traits().region_axes;
  const bool any = axes.starts_with(kAnyAxis);
  if (any) axes.remove_prefix(kAnyAxis.size());
  const char letter = desc.layout.empty() ? '\0' : desc.layout[axis];
  const bool named = letter && axes.find(letter) != std::string_view::npos && (any || letter != 'F' || axis == 0);
  return any != named;
}

bool SampleRunner::widen_wanted() {
  bool widened = false;
  for (size_t i = 0; i < sample_.wanted_.size(); ++i) {
    const TensorDesc& desc = sample_.outputs_[i]->tensor;
    Region& wanted = sample_.wanted_[i];
    if (wanted.empty()) continue;
    for (int axis = 0; axis < desc.shape.ndim(); ++axis) {
      const bool is_whole = wanted.begin(axis) == 0 && wanted.end(axis) == desc.shape[axis];
      if (is_whole || is_partial(desc, axis)) continue;
      wanted.set(axis, 0, desc.shape[axis]);
      widened = true;
    }
  }
  return widened;
}

void SampleRunner::need() {
  if (repeats_ && sample_.wanted_ == last_wanted_) return;  // what is needed stands there still
  last_wanted_.clear();
  const bool widened = op_.traits().region_axes != kAnyAxis && widen_wanted();
  if (by_frames()) return need_frames();
  for (size_t i = 0; i < sample_.inputs_.size(); ++i)
    if (op_.traits().sees_shape_only(i))
      sample_.needed_[i].clear();
    else
      sample_.needed_[i].set_whole(sample_.inputs_[i]->tensor.shape);
  op_.need(sample_);
  if (!widened && !last_outputs_.empty()) last_wanted_ = sample_.wanted_;
}

void SampleRunner::run() {
  if (by_frames()) return run_frames();
  op_.run(sample_);
}

}  // namespace penstock
