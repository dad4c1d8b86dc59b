#include "codec/jpeg/bitstream.h"

#include <algorithm>
#include <cstring>

#include "codec/past_caches.h"
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

// Most bytes, where they can be squeezed together. A processor cannot predict which are 0xFF, and one wrong guess takes
// as long as several vectors: a file of 110 KB in the cache took 17 us with branches, 7 without.
Copied Squeeze([[maybe_unused]] const uint8_t* in, [[maybe_unused]] size_t n, [[maybe_unused]] uint8_t* out) {
#if HWY_TARGET <= HWY_AVX3_DL
  uint8_t* const first = out;
  const __m512i ff = _mm512_set1_epi8(-1);
  uint64_t carry = 0;  // whether the byte before was 0xFF
  const auto squeeze = [&](__m512i bytes, uint64_t there, int last) {
    const uint64_t marks = _mm512_cmpeq_epi8_mask(bytes, ff), stuffing = marks << 1 | carry;
    if (stuffing & _mm512_test_epi8_mask(bytes, bytes)) return false;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(there & ~stuffing, bytes));
    out += hwy::PopCount(there & ~stuffing);
    carry = marks >> last & 1;
    return true;
  };
  constexpr size_t kBytes = sizeof(__m512i);
  size_t i = 0;
  while (i + kBytes <= n && squeeze(_mm512_loadu_si512(in + i), ~uint64_t{0}, kBytes - 1)) i += kBytes;
  if (const size_t rest = n - i; rest > 0 && rest < kBytes) {  // runs of checkpoints are as short as two vectors
    const uint64_t there = ~(~uint64_t{0} << rest);
    if (squeeze(_mm512_maskz_loadu_epi8(there, in + i), there, static_cast<int>(rest - 1))) i = n;
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
  const Copied squeezed = Squeeze(in, n, out);
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

namespace {

// Below this, to wait until all bytes are past the caches takes longer than that saves: a digit of 500 bytes took 2.2
// us of a core in all instead of 1.8.
constexpr size_t kMany = 16384;

constexpr bool is_restart(uint8_t marker) { return (marker & 0xF8) == 0xD0; }

/// As PastCaches, without detours.
class IntoCaches {
 public:
  explicit IntoCaches(uint8_t* to) : first_(to), next_(to) {}
  Copied copy_sound(std::span<const uint8_t> stuffed) {
    const Copied copied = jpeg::copy_sound(stuffed, next_);
    next_ += copied.written;
    return copied;
  }
  size_t written() const { return static_cast<size_t>(next_ - first_); }
  void finish() { std::memset(next_, 0, Bitstream::kPadding); }

 private:
  uint8_t *first_, *next_;
};

}  // namespace

Copied copy_sound(std::span<const uint8_t> stuffed, uint8_t* out) {
  return HWY_DYNAMIC_DISPATCH(CopySound)(stuffed.data(), stuffed.size(), out);
}

size_t end_of_scan(std::span<const uint8_t> stuffed) {
  for (auto rest = stuffed; !rest.empty();) {
    const auto* mark = static_cast<const uint8_t*>(std::memchr(rest.data(), 0xFF, rest.size()));
    if (!mark) break;
    rest = stuffed.subspan(static_cast<size_t>(mark - stuffed.data()) + 1);
    const bool more = rest.empty() || rest[0] == 0 || rest[0] == 0xFF || is_restart(rest[0]);
    if (!more) return stuffed.size() - rest.size() + 1;
  }
  return stuffed.size();
}

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments) {
  reserve(stuffed.size());
  return free_of_stuffing(stuffed, 0, segments, IntoCaches(data_));
}

bool Bitstream::take_part(std::span<const uint8_t> stuffed, size_t first, size_t segments) {
  reserve(stuffed.size());
  const bool sound = free_of_stuffing(stuffed, first, segments, IntoCaches(data_));
  ended_ = true;  // or more bits follow
  return sound;
}

void Bitstream::reserve(size_t stuffed) {
  if (bytes_.size() < stuffed + kPadding) bytes_.resize(stuffed + kPadding);
  data_ = bytes_.data();
}

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments, uint8_t* memory) {
  data_ = memory;
  if (stuffed.size() < kMany) return free_of_stuffing(stuffed, 0, segments, IntoCaches(memory));
  return free_of_stuffing(stuffed, 0, segments, PastCaches(memory));
}

template <class Out>
bool Bitstream::free_of_stuffing(std::span<const uint8_t> stuffed, size_t first, size_t segments, Out out) {
  ends_.clear();
  ended_ = false;
  for (size_t at = 0;;) {
    at += out.copy_sound(stuffed.subspan(at)).taken;
    while (at < stuffed.size() && stuffed[at] == 0xFF) ++at;
    if (at == stuffed.size()) break;
    const uint8_t marker = stuffed[at++];
    // Fill bytes may precede a marker only. Elsewhere, libjpeg-turbo leaves traces of a vain attempt in the block.
    if (marker == 0) return false;
    if (ends_.size() + 1 >= segments || !is_restart(marker)) {
      ended_ = true;
      break;
    }
    if ((marker & 7) != static_cast<uint8_t>((first + ends_.size()) & 7)) return false;
    ends_.push_back(out.written());
  }
  ends_.push_back(out.written());
  out.finish();
  return true;
}

Copied PastCaches::copy_sound(std::span<const uint8_t> stuffed) {
  Copied all;
  for (;;) {
    if (held_ > kWindow / 2) send_lines();
    const auto part = stuffed.subspan(all.taken, std::min(stuffed.size() - all.taken, kWindow - held_));
    const bool last = all.taken + part.size() == stuffed.size();
    const Copied some = jpeg::copy_sound(part, window_.data() + held_);
    all.taken += some.taken;
    all.written += some.written;
    held_ += some.written;
    // Of a 0xFF that ends a part the next one tells what it is.
    if (last || some.taken + 1 < part.size()) return all;
  }
}

/// Whole lines go; what is left of the window is less than one.
void PastCaches::send_lines() {
  const size_t whole = held_ / kLine * kLine;
  if (whole == 0) return;
  uint8_t* const to = to_ + sent_;
  if (reinterpret_cast<uintptr_t>(to) % kLine == 0)
    copy_past_caches({window_.data(), whole}, to);
  else
    std::memcpy(to, window_.data(), whole);
  sent_ += whole;
  held_ -= whole;
  std::memcpy(window_.data(), window_.data() + whole, held_);  // they do not overlap: held_ < kLine <= whole
}

void PastCaches::finish() {
  send_lines();
  std::memset(window_.data() + held_, 0, Bitstream::kPadding);
  std::memcpy(to_ + sent_, window_.data(), held_ + Bitstream::kPadding);
  hwy::FlushStream();
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
