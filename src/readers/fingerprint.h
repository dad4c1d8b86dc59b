// A number that tells data sets apart, so that ranks can make sure that they read the same one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/random.h"

namespace penstock {

class Fingerprint {
 public:
  void add(uint64_t value) { hash_ = mix64(hash_, value); }
  void add(std::string_view text) {
    add(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) add(word(text.data(), 8));
    add(word(text.data(), text.size()));
  }
  uint64_t value() const { return hash_; }

 private:
  static uint64_t word(const char* data, size_t n) {
    uint64_t value = 0;
    if (n > 0) std::memcpy(&value, data, n);
    return value;
  }
  uint64_t hash_ = 0;
};

}  // namespace penstock
