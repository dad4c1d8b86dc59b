#include "schema/registry.h"

namespace penstock {

void register_all(Registry& all);  // written by the build from the folders of operators and readers

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_all(r);
    return r;
  }();
  return all;
}

}  // namespace penstock
