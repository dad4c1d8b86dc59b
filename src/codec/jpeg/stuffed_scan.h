// A scan as the file has it, for a GPU that frees it of stuffed zeros itself. To prepare a picture of 110 KB for it
// took each of 14 threads 31 to 33 us in the program where they freed it, 24 to 26 so (two H100 of a host with 32
// cores).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock::codec::jpeg {

/// Bytes of a stretch of a scan: those of which a GPU learns where they go.
inline constexpr size_t kStretch = 4096;

/// Copies the entropy-coded bytes of a scan, and says for each stretch of them how many bytes before it are no
/// stuffing, and behind the last one how many in all.
/// @param scan bytes from the end of its header, which is no 0xFF, to the marker that ends it
/// @param to room for as many, aligned to 64; they go past the caches
/// @return false where there are markers between, or fill bytes: then Bitstream is to judge
bool copy_stuffed(std::span<const uint8_t> scan, uint8_t* to, std::vector<uint32_t>& kept_before);

}  // namespace penstock::codec::jpeg
