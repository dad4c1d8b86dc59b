// One frame of a sample whose operator has arguments of which each frame has its own.
#pragma once

#include <deque>
#include <span>

#include "schema/sample_runner.h"

namespace penstock {

/// What an operator also is that can make frames of one sequence equally large; see Traits::frame_sizes.
class FrameSizes {
 public:
  virtual ~FrameSizes() = default;
  /// After infer, where frames came out of different extents: describes output 0 of each anew, with the same extents.
  virtual void infer_alike(std::span<Sample* const> frames) const = 0;
};

struct SampleRunner::Frame {
  Frame(const SampleOperatorBase& op, uint64_t seed) : runner(op, seed) {}
  SampleRunner runner;
  std::deque<Value> inputs, arg_inputs, outputs;  // runner points to them
};

}  // namespace penstock
