// Prints the schemas of all operators of this build as JSON, each with the folder that it comes from as `group`: the
// input of tools/gen_api.py.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pipeline/registrations.h"
#include "schema/json.h"

int main() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const penstock::Registration& one : penstock::registrations()) {
    penstock::Registry added;
    one.add(added);
    for (const penstock::OpSchema* schema : added.all()) {
      all.push_back(nlohmann::ordered_json::parse(penstock::schema_json(*schema)));
      all.back()["group"] = one.group;
    }
  }
  std::puts(all.dump().c_str());
  return 0;
}
