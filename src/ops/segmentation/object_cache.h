// Objects of label maps that were seen before, by what the maps hold.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <penstock/tensor.h>

#include "kernels/components/components.h"

namespace penstock {

using Objects = std::shared_ptr<const std::vector<kernels::Component>>;

/// Shared by all workers. What it gives is what would be found anew, so neither order nor threads change results.
class ObjectCache {
 public:
  /// The objects of the map, found by `find` unless a map with the same bytes, shape, type and background was seen.
  template <class Find>
  Objects get(const TensorView& labels, std::optional<int64_t> background, Find&& find) {
    const Key key = key_of(labels, background);
    if (Objects known = look_up(key)) return known;
    Objects found = find();
    keep(key, found);
    return found;
  }

 private:
  using Key = std::array<uint64_t, 4>;
  static Key key_of(const TensorView& labels, std::optional<int64_t> background);
  Objects look_up(const Key& key) const;
  void keep(const Key& key, const Objects& objects);

  mutable std::mutex mutex_;
  std::map<Key, Objects> known_;
  size_t boxes_ = 0;
};

}  // namespace penstock
