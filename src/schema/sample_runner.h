// The executor's side of a Sample: wires an operator's inputs and outputs and runs its phases. Also used by tests that
// run one operator alone.
#pragma once

#include "schema/operator.h"

namespace penstock {

class SampleRunner {
 public:
  SampleRunner(const SampleOperatorBase& op, uint64_t seed) : op_(op), local_(op.make_local()) {
    sample_.local_ = local_.get();
    sample_.seed_ = seed;
  }
  void set_arena(Arena* arena) { sample_.arena_ = arena; }
  void add_input(Value* value) { sample_.inputs_.push_back(value), sample_.needed_.emplace_back(); }
  void add_arg_input(Value* value) { sample_.arg_inputs_.push_back(value); }
  void add_output(Value* value) { sample_.outputs_.push_back(value), sample_.wanted_.emplace_back(); }

  /// Outputs' descriptors. Afterwards every output counts as wholly wanted.
  void infer(const SampleId& id);
  /// Asks which part of each input is needed to make the wanted part of each output.
  void need();
  void run() { op_.run(sample_); }

  void set_wanted(size_t i, const Region& region) { sample_.wanted_[i] = region; }
  const Region& wanted(size_t i) const { return sample_.wanted_[i]; }
  const Region& needed(size_t i) const { return sample_.needed_[i]; }
  const SampleOperatorBase& op() const { return op_; }
  Sample& sample() { return sample_; }

 private:
  bool is_like_the_last() const;

  const SampleOperatorBase& op_;
  std::unique_ptr<Local> local_;
  Sample sample_;
  // Of the last sample, where they decide about the next one: of digits, a tenth of all instructions.
  std::vector<TensorDesc> last_inputs_, last_outputs_;
  std::vector<Region> last_wanted_;
  bool repeats_ = false;  // the sample in work is like the last
};

}  // namespace penstock
