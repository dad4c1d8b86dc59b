// The executor's side of a Sample: wires an operator's inputs and outputs and runs its phases. Also used by tests that
// run one operator alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "schema/operator.h"

namespace penstock {

class SampleRunner {
 public:
  SampleRunner(const SampleOperatorBase& op, uint64_t seed);
  ~SampleRunner();
  SampleRunner(const SampleRunner&) = delete;
  SampleRunner& operator=(const SampleRunner&) = delete;
  void set_arena(Arena* arena) { sample_.arena_ = arena; }
  void add_input(Value* value) { sample_.inputs_.push_back(value), sample_.needed_.emplace_back(); }
  void add_arg_input(Value* value) {
    sample_.arg_inputs_.push_back(value);
    per_frame_.emplace_back();
  }
  /// The argument input added last, `name`, may also be a sequence: with a layout that begins with F it has a value for
  /// each frame of the inputs whose layouts do. The operator then sees frame by frame, and its outputs are sequences.
  void allow_per_frame(const std::string& name);
  /// Whether the sample in work is made frame by frame.
  bool by_frames() const { return num_frames_ > 0; }
  void add_output(Value* value) { sample_.outputs_.push_back(value), sample_.wanted_.emplace_back(); }

  /// Outputs' descriptors. Afterwards every output counts as wholly wanted.
  void infer(const SampleId& id);
  /// Asks which part of each input is needed to make the wanted part of each output.
  void need();
  void run();

  /// Of output i: the executor sets it before need(), which may widen it.
  Region& wanted(size_t i) { return sample_.wanted_[i]; }
  const Region& wanted(size_t i) const { return sample_.wanted_[i]; }
  const Region& needed(size_t i) const { return sample_.needed_[i]; }
  const SampleOperatorBase& op() const { return op_; }
  Sample& sample() { return sample_; }

 private:
  struct Frame;
  bool is_like_the_last() const;
  bool may_have_frames() const { return !sample_.arg_inputs_.empty() || op_.traits().frame_values_from >= 0; }
  int64_t count_frames() const;
  void infer_frames(const SampleId& id);
  /// Whether the operator makes outputs in part along that axis.
  bool is_partial(const TensorDesc& desc, int axis) const;
  /// Makes what is wanted whole along the other axes. False where it was.
  bool widen_wanted();
  void need_frames();
  void run_frames();
  Frame& frame(int64_t i);

  const SampleOperatorBase& op_;
  const uint64_t seed_;
  std::unique_ptr<Local> local_;
  Sample sample_;
  // Of the last sample, where they decide about the next one: of digits, a tenth of all instructions.
  std::vector<TensorDesc> last_inputs_, last_outputs_;
  std::vector<Region> last_wanted_;     // none where it was widened
  bool repeats_ = false;                // the sample in work is like the last
  std::vector<std::string> per_frame_;  // names of argument inputs that may be sequences; others are empty
  std::vector<std::unique_ptr<Frame>> frames_;
  int64_t num_frames_ = 0;                        // of the sample in work; 0: it is made as a whole
  int64_t first_wanted_ = 0, end_of_wanted_ = 0;  // of these frames
};

}  // namespace penstock
