// One frame of a sample whose operator has arguments of which each frame has its own.
#pragma once

#include <deque>

#include "schema/sample_runner.h"

namespace penstock {

/// A second base of operators that can make frames of one sequence equally large.
class FrameSizes {
 public:
  virtual ~FrameSizes() = default;
  /// After infer, where frames came out of different extents: describes output 0 anew, as large as `shape`.
  virtual void infer_as_large(Sample& s, const Shape& shape) const = 0;
};

/// A second base of operators on sequences as such, whose arguments are none of frames.
class OfSequences {
 public:
  virtual ~OfSequences() = default;
};

/// A second base of operators with inputs that are values for frames, as arguments are: matrices.
class FrameInputs {
 public:
  virtual ~FrameInputs() = default;
  virtual bool is_per_frame(int input) const = 0;
};

struct SampleRunner::Frame {
  Frame(const SampleOperatorBase& op, uint64_t seed) : runner(op, seed) {}
  SampleRunner runner;
  std::deque<Value> inputs, arg_inputs, outputs;  // runner points to them
};

}  // namespace penstock
