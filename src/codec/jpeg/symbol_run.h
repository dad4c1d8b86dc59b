// The inner loop of entropy decoding, compiled for the instruction sets that have shifts without flags.
#pragma once

#include <cstdint>

#include "codec/jpeg/huffman.h"

namespace penstock::codec::jpeg {

/// Decodes blocks until the state's block is `last`, or the bytes are used up. Blocks must be clear where all of them
/// is kept.
/// @param at the next byte; Bitstream::kPadding bytes may be read beyond `end`
/// @return the next byte
const uint8_t* take_blocks(SymbolState& state, Keep keep, const uint8_t* at, const uint8_t* end, const int16_t* last);

}  // namespace penstock::codec::jpeg
