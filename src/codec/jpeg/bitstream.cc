#include "codec/jpeg/bitstream.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/bitstream.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies up to the next 0xFF, or all; returns how many bytes. `out` has room for kPadding bytes more.
size_t CopyUpToFF(const uint8_t* in, size_t n, uint8_t* out) {
  const hn::CappedTag<uint8_t, Bitstream::kPadding> d;
  const auto ff = hn::Set(d, 0xFF);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, in + i);
    hn::StoreU(bytes, d, out + i);
    const intptr_t at = hn::FindFirstTrue(d, hn::Eq(bytes, ff));
    if (at >= 0) return i + static_cast<size_t>(at);
  }
  for (; i < n && in[i] != 0xFF; ++i) out[i] = in[i];
  return i;
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(CopyUpToFF);

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments) {
  if (bytes_.size() < stuffed.size() + kPadding) bytes_.resize(stuffed.size() + kPadding);
  return take(stuffed, segments, bytes_.data());
}

bool Bitstream::take(std::span<const uint8_t> stuffed, size_t segments, uint8_t* memory) {
  ends_.clear();
  ended_ = false;
  data_ = memory;
  uint8_t* out = data_;
  for (size_t at = 0;;) {
    const size_t copied = HWY_DYNAMIC_DISPATCH(CopyUpToFF)(stuffed.data() + at, stuffed.size() - at, out);
    at += copied;
    out += copied;
    const size_t first = at;
    while (at < stuffed.size() && stuffed[at] == 0xFF) ++at;
    if (at == stuffed.size()) break;
    const uint8_t marker = stuffed[at++];
    if (marker == 0) {
      // Fill bytes may precede a marker only. Elsewhere, libjpeg-turbo leaves traces of a vain attempt in the block.
      if (at != first + 2) return false;
      *out++ = 0xFF;
      continue;
    }
    if (ends_.size() + 1 >= segments || (marker & 0xF8) != 0xD0) {
      ended_ = true;
      break;
    }
    if ((marker & 7) != static_cast<uint8_t>(ends_.size() & 7)) return false;
    ends_.push_back(static_cast<size_t>(out - data_));
  }
  ends_.push_back(static_cast<size_t>(out - data_));
  std::memset(out, 0, kPadding);
  return true;
}

void Bitstream::trim(size_t kept) {
  if (bytes_.capacity() > kept) bytes_ = {};
  if (ends_.capacity() * sizeof(size_t) > kept) ends_ = {};
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE
