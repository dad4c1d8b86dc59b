#include "ops/segmentation/object_cache.h"

#include <cstring>

#include "core/random.h"

namespace penstock {
namespace {

/// What the cache may hold: 72 bytes a box, so 290 MB at most.
constexpr size_t kMostBoxes = size_t{1} << 22;

/// Four 64-bit hashes that read every fourth word each; a bijective mixer per word keeps all of its bits.
class Hash {
 public:
  void add(const std::byte* data, size_t bytes) {
    for (; bytes >= 32; data += 32, bytes -= 32) {
      std::array<uint64_t, 4> words;
      std::memcpy(words.data(), data, 32);
      add(words);
    }
    std::array<uint64_t, 4> words{};
    if (bytes > 0) std::memcpy(words.data(), data, bytes);
    add(words);
  }
  void add(const std::array<uint64_t, 4>& words) {
    for (size_t i = 0; i < 4; ++i) {
      lanes_[i] = (lanes_[i] ^ words[i]) * 0x9e3779b97f4a7c15ull;
      lanes_[i] ^= lanes_[i] >> 29;
    }
  }
  /// Every lane depends on all of them.
  std::array<uint64_t, 4> result() const {
    std::array<uint64_t, 4> mixed{};
    for (size_t i = 0; i < 4; ++i)
      for (size_t k = 0; k < 4; ++k) mixed[i] = mix64(mixed[i], lanes_[(i + k) % 4]);
    return mixed;
  }

 private:
  std::array<uint64_t, 4> lanes_ = {1, 2, 3, 4};
};

}  // namespace

ObjectCache::Key ObjectCache::key_of(const TensorView& labels, std::optional<int64_t> background) {
  Hash hash;
  hash.add({static_cast<uint64_t>(labels.dtype), static_cast<uint64_t>(labels.shape.ndim()),
            background ? static_cast<uint64_t>(*background) : 0, background ? 1u : 0u});
  for (const int64_t extent : labels.shape) hash.add({static_cast<uint64_t>(extent), 0, 0, 0});
  hash.add(labels.data, labels.nbytes());
  return hash.result();
}

Objects ObjectCache::look_up(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find(key);
  return known == known_.end() ? nullptr : known->second;
}

void ObjectCache::keep(const Key& key, const Objects& objects) {
  const std::scoped_lock lock(mutex_);
  if (boxes_ + objects->size() + 1 > kMostBoxes) return;
  if (known_.emplace(key, objects).second) boxes_ += objects->size() + 1;
}

}  // namespace penstock
