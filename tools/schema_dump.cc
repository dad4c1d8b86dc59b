// Prints the schemas of all operators of this build as JSON: the input of tools/gen_api.py.
#include <cstdio>

#include "schema/json.h"

int main() {
  std::puts(penstock::schema_json().c_str());
  return 0;
}
