// Operators that tell about others, and are told of them when a pipeline is planned.
#pragma once

#include "schema/operator.h"

namespace penstock {

struct OpSchema;

/// A second base of operators that speak for the one that makes their input 0.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Called once, before the first sample: what makes input 0, and what it was given, with its random numbers.
  /// @throws ArgumentError where there is nothing to say about that
  virtual void meet(const OpSchema& schema, const OpSpec& spec) = 0;
};

/// A second base of operators that look at the type, shape and source alone of some inputs. Nothing is made for them:
/// what a GPU makes stays there, and what they tell decides which part of the input the others need.
class SeesShapes {
 public:
  virtual ~SeesShapes() = default;
  virtual bool sees_shape_only(int input) const = 0;
};

/// Of all inputs.
class SeesNoData : public SeesShapes {
 public:
  bool sees_shape_only(int) const final { return true; }
};

}  // namespace penstock
