#include "schema/registry.h"

#include "pipeline/registrations.h"

namespace penstock {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    for (const Registration& one : registrations()) one.add(r);
    return r;
  }();
  return all;
}

}  // namespace penstock
