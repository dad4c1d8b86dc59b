// Formats that are known by their first bytes and not decoded, so that errors can name them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace penstock::codec {

/// "JPEG XL", "PDF", ... ; empty where the bytes are of no kind that is known here.
std::string_view foreign_format(std::span<const uint8_t> bytes);

}  // namespace penstock::codec
