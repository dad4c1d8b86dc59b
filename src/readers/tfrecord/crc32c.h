// CRC-32C (Castagnoli), as TFRecord files have it.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

uint32_t crc32c(std::string_view bytes);
/// As TFRecord stores it, rotated and shifted: a sum over bytes that hold sums would say little.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace penstock
