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
  num_frames_ = count_frames();
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

void SampleRunner::need() {
  if (by_frames()) return need_frames();
  if (repeats_ && sample_.wanted_ == last_wanted_) return;  // what is needed stands there still
  last_wanted_.clear();
  for (size_t i = 0; i < sample_.inputs_.size(); ++i) sample_.needed_[i] = whole(sample_.inputs_[i]->tensor);
  op_.need(sample_);
  last_wanted_ = sample_.wanted_;
}

void SampleRunner::run() {
  if (by_frames()) return run_frames();
  op_.run(sample_);
}

}  // namespace penstock
