// Copies to memory from which others will read, such as a GPU: past the caches, which the host has better use for.
#pragma once

#include <cstdint>
#include <span>

namespace penstock::codec {

/// @param to room for as many bytes, aligned to 64
void copy_past_caches(std::span<const uint8_t> from, uint8_t* to);

}  // namespace penstock::codec
