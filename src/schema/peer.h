// Operators that tell about others, and are told of them when a pipeline is planned.
#pragma once

#include "schema/operator.h"

namespace penstock {

struct OpSchema;

/// What an operator also is that speaks for the one that makes its input 0; see Traits::peer.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Called once, before the first sample: what makes input 0, and what it was given, with its random numbers.
  /// @throws ArgumentError where there is nothing to say about that
  virtual void meet(const OpSchema& schema, const OpSpec& spec) = 0;
};

}  // namespace penstock
