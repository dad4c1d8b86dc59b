#include "codec/jpeg/bitstream.h"

#include <cstring>

#include "codec/scratch.h"

#define HWY_WANT_AVX3_DL  // which old releases of Highway leave out
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/bitstream.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Most vectors, where bytes can be squeezed together. Which bytes are 0xFF nobody can predict, and one wrong guess
// takes as long as several vectors: a file of 110 KB in the cache took 17 us with branches, 7 without. Into pinned
// memory, which has left the caches since it was read, it took 12, and 10 where lines are asked for beforehand.
Copied SqueezeVectors([[maybe_unused]] const uint8_t* in, [[maybe_unused]] size_t n, [[maybe_unused]] uint8_t* out) {
#if HWY_TARGET <= HWY_AVX3_DL
  uint8_t* const first = out;
  const __m512i ff = _mm512_set1_epi8(-1);
  constexpr size_t kAhead = 1024;
  uint64_t carry = 0;  // whether the byte before was 0xFF
  size_t i = 0;
  for (; i + sizeof(__m512i) <= n; i += sizeof(__m512i)) {
    hwy::Prefetch(out + kAhead);
    const __m512i bytes = _mm512_loadu_si512(in + i);
    const uint64_t marks = _mm512_cmpeq_epi8_mask(bytes, ff), stuffing = marks << 1 | carry;
    if (stuffing & _mm512_test_epi8_mask(bytes, bytes)) break;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(~stuffing, bytes));
    out += sizeof(__m512i) - hwy::PopCount(stuffing);
    carry = marks >> 63;
  }
  return {i - carry, static_cast<size_t>(out - first) - carry};  // a 0xFF goes with what follows
#else
  return {};
#endif
}

Copied CopySound(const uint8_t* in, size_t n, uint8_t* out) {
  const hn::CappedTag<uint8_t, Bitstream::kPadding> d;
  const auto ff = hn::Set(d, 0xFF);
  uint8_t* const first = out;
  const Copied squeezed = SqueezeVectors(in, n, out);
  size_t i = squeezed.taken;
  out += squeezed.written;
  while (i + hn::Lanes(d) <= n) {
    const auto bytes = hn::LoadU(d, in + i);
    hn::StoreU(bytes, d, out);
    const intptr_t at = hn::FindFirstTrue(d, hn::Eq(bytes, ff));
    const size_t sound = at < 0 ? hn::Lanes(d) : static_cast<size_t>(at) + 1;  // with the 0xFF
    if (at >= 0) {
      if (i + sound == n || in[i + sound] != 0) return {i + sound - 1, static_cast<size_t>(out - first) + sound - 1};
      ++i;
    }
    i += sound;
    out += sound;
  }
  for (; i < n; ++i, ++out) {
    *out = in[i];
    if (in[i] != 0xFF) continue;
    if (i + 1 == n || in[i + 1] != 0) break;
    ++i;
  }
  return {i, static_cast<size_t>(out - first)};
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(CopySound);

Copied copy_sound(std::span<const uint8_t> stuffed, uint8_t* out) {
  return HWY_DYNAMIC_DISPATCH(CopySound)(stuffed.data(), stuffed.size(), out);
}

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments) {
  reserve(stuffed.size());
  return take(stuffed, segments, bytes_.data());
}

bool Bitstream::take_part(std::span<const uint8_t> stuffed, size_t first, size_t segments) {
  reserve(stuffed.size());
  data_ = bytes_.data();
  const bool sound = free_of_stuffing(stuffed, first, segments);
  ended_ = true;  // or more bits follow
  return sound;
}

void Bitstream::reserve(size_t stuffed) {
  if (bytes_.size() < stuffed + kPadding) bytes_.resize(stuffed + kPadding);
}

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments, uint8_t* memory) {
  data_ = memory;
  return free_of_stuffing(stuffed, 0, segments);
}

bool Bitstream::free_of_stuffing(std::span<const uint8_t> stuffed, size_t first, size_t segments) {
  ends_.clear();
  ended_ = false;
  uint8_t* out = data_;
  for (size_t at = 0;;) {
    const Copied copied = copy_sound(stuffed.subspan(at), out);
    at += copied.taken;
    out += copied.written;
    while (at < stuffed.size() && stuffed[at] == 0xFF) ++at;
    if (at == stuffed.size()) break;
    const uint8_t marker = stuffed[at++];
    // Fill bytes may precede a marker only. Elsewhere, libjpeg-turbo leaves traces of a vain attempt in the block.
    if (marker == 0) return false;
    if (ends_.size() + 1 >= segments || (marker & 0xF8) != 0xD0) {
      ended_ = true;
      break;
    }
    if ((marker & 7) != static_cast<uint8_t>((first + ends_.size()) & 7)) return false;
    ends_.push_back(static_cast<size_t>(out - data_));
  }
  ends_.push_back(static_cast<size_t>(out - data_));
  std::memset(out, 0, kPadding);
  return true;
}

void Bitstream::trim() {
  codec::trim(bytes_);
  codec::trim(ends_);
}

uint64_t StuffedPositions::find(uint64_t from) const {
  if (from >= stuffed_.size()) return stuffed_.size();
  const void* found = std::memchr(stuffed_.data() + from, 0xFF, stuffed_.size() - from);
  return found ? static_cast<uint64_t>(static_cast<const uint8_t*>(found) - stuffed_.data()) : stuffed_.size();
}

uint64_t StuffedPositions::of(uint64_t byte) {
  while (next_ <= byte + removed_ && next_ < stuffed_.size()) {
    uint64_t after = next_ + 1;
    while (after < stuffed_.size() && stuffed_[after] == 0xFF) ++after;
    const bool data = after < stuffed_.size() && stuffed_[after] == 0;
    if (data && next_ == byte + removed_) break;
    ++after;
    removed_ += data ? 1 : after - next_;
    next_ = find(after);
  }
  return byte + removed_;
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE
