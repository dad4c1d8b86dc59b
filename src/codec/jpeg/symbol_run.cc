#include "codec/jpeg/symbol_run.h"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/symbol_run.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

HWY_INLINE uint64_t BigEndian64(const uint8_t* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return word;
}

/// 56 bits at least are valid afterwards: enough for two symbols.
HWY_INLINE const uint8_t* Refill(SymbolState& s, const uint8_t* at) {
  s.bits |= BigEndian64(at) >> s.count;
  at += (63 - s.count) >> 3;
  s.count |= 56;
  return at;
}

template <Keep kKeep>
const uint8_t* TakeBlocks(SymbolState& state, const uint8_t* at, const uint8_t* end, const int16_t* last) {
  SymbolState s = state;  // a copy stays in registers
  // What is read ahead may lie beyond the end.
  while (s.block < last && at <= end + sizeof(uint64_t)) {
    if (s.count < SymbolTable::kIndexBits) [[unlikely]]
      at = Refill(s, at);
    // Looked up before the refill, which changes lower bits only: so the one need not wait for the other (8 % faster).
    const Word word = s.table->look_up(s.bits);
    at = Refill(s, at);
    take_symbols<kKeep>(s, word);
    if (s.block < last) take_symbols<kKeep>(s, s.table->look_up(s.bits));
  }
  state = s;
  return at;
}

const uint8_t* TakeAll(SymbolState& state, const uint8_t* at, const uint8_t* end, const int16_t* last) {
  return TakeBlocks<Keep::kAll>(state, at, end, last);
}

const uint8_t* TakeDc(SymbolState& state, const uint8_t* at, const uint8_t* end, const int16_t* last) {
  return TakeBlocks<Keep::kDc>(state, at, end, last);
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(TakeAll);
HWY_EXPORT(TakeDc);

const uint8_t* take_blocks(SymbolState& state, Keep keep, const uint8_t* at, const uint8_t* end, const int16_t* last) {
  if (keep == Keep::kAll) return HWY_DYNAMIC_DISPATCH(TakeAll)(state, at, end, last);
  return HWY_DYNAMIC_DISPATCH(TakeDc)(state, at, end, last);
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE
