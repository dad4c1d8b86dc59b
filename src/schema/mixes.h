// Readers of the samples of other readers.
#pragma once

#include <memory>
#include <vector>

#include <penstock/error.h>

#include "schema/reader.h"

namespace penstock {

/// One of the readers that are mixed.
struct MixedPart {
  std::unique_ptr<Operator> op;
  ErrorContext context;

  const SampleOperatorBase& samples() const { return *op->traits().sample; }
  const Reader& reader() const { return *op->traits().reader; }
};

/// What a reader also is that mixes others; see Traits::mixes. The plan makes these, from what stood as its inputs in
/// the graph.
class Mixes {
 public:
  virtual ~Mixes() = default;
  /// Once, before all else. @throws ArgumentError, DataError
  virtual void mix(std::vector<MixedPart> parts) = 0;
};

}  // namespace penstock
