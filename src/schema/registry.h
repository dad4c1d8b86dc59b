// All operators by name. Filled once from the folders: the build writes the list of register_<stem>(Registry&) calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace penstock {

class Registry {
 public:
  template <class Op>
  OpBuilder<Op> add(std::string_view name) {
    return OpBuilder<Op>(add_schema(name));
  }
  /// @throws KeyError that offers the nearest name.
  const OpSchema& at(const std::string& name) const;
  /// Schemas in alphabetical order.
  std::vector<const OpSchema*> all() const;

 private:
  OpSchema& add_schema(std::string_view name);
  std::vector<std::unique_ptr<OpSchema>> schemas_;
};

/// The operators of this build.
const Registry& registry();

/// The element of `candidates` that is closest to `name` by edit distance; empty when nothing is near.
std::string nearest(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace penstock
