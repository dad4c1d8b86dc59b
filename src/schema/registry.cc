#include "schema/registry.h"

#include <algorithm>
#include <numeric>

#include "core/check.h"

namespace penstock {
namespace {

/// Edit distance (Levenshtein), one row at a time.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

OpSchema& Registry::add_schema(std::string_view name) {
  schemas_.push_back(std::make_unique<OpSchema>());
  schemas_.back()->name = name;
  return *schemas_.back();
}

const OpSchema& Registry::at(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& schema : schemas_) {
    if (schema->name == name) return *schema;
    for (const std::string& alias : schema->aliases)
      if (alias == name) return *schema;
    names.push_back(schema->name);
  }
  const std::string near = nearest(name, names);
  fail<KeyError>("there is no operator `{}`{}", name, near.empty() ? "" : "; did you mean `" + near + "`?");
}

std::vector<const OpSchema*> Registry::all() const {
  std::vector<const OpSchema*> list;
  for (const auto& schema : schemas_) list.push_back(schema.get());
  std::sort(list.begin(), list.end(), [](const OpSchema* a, const OpSchema* b) { return a->name < b->name; });
  return list;
}

std::string nearest(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t d = distance(name, candidate);
    if (d < least) least = d, best = candidate;
  }
  return best;
}

}  // namespace penstock
