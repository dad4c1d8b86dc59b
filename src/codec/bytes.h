// Numbers in hostile bytes: every read is checked against the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/check.h"

namespace penstock::codec {

constexpr uint32_t load_be16(const uint8_t* p) { return static_cast<uint32_t>(p[0]) << 8 | p[1]; }
constexpr uint32_t load_le16(const uint8_t* p) { return static_cast<uint32_t>(p[1]) << 8 | p[0]; }
constexpr uint32_t load_be32(const uint8_t* p) { return load_be16(p) << 16 | load_be16(p + 2); }
constexpr uint32_t load_le32(const uint8_t* p) { return load_le16(p + 2) << 16 | load_le16(p); }

inline bool starts_with(std::span<const uint8_t> bytes, std::string_view text) {
  if (text.empty()) return true;  // memcmp wants memory even for nothing
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// `count` bytes from `offset` on. @throws DataError where the data ends before.
inline std::span<const uint8_t> slice(std::span<const uint8_t> bytes, size_t offset, size_t count) {
  PENSTOCK_CHECK(offset <= bytes.size() && count <= bytes.size() - offset, DataError,
                 "the file is cut off: {} bytes, but bytes {} to {} are needed", bytes.size(), offset, offset + count);
  return bytes.subspan(offset, count);
}

}  // namespace penstock::codec
