// Data that comes from outside: the executor hands fed batches on, this operator only says what they must look like.
#pragma once

#include <optional>
#include <string>

#include "schema/operator.h"

namespace penstock {

struct ExternalSourceArgs {
  std::optional<DType> dtype;
  std::optional<int64_t> ndim;
  std::optional<std::string> layout;
};

class ExternalSource final : public FedOperator, public Arguments<ExternalSourceArgs> {
 public:
  void setup() {}
  /// Applies the declared layout. @throws DataError when type, rank or layout are not the declared ones.
  void accept(TensorList& data) const override;
};

}  // namespace penstock
