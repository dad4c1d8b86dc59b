#include "codec/jpeg/stuffed_scan.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/jpeg/stuffed_scan.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Stuffed zeros in it; negative where there are markers. The byte before `in` is looked at, too.
int64_t CopyStretch(const uint8_t* in, size_t n, uint8_t* out) {
  const hn::CappedTag<uint8_t, 64> d;
  const auto ff = hn::Set(d, 0xFF), zero = hn::Zero(d);
  const uint8_t* const before = in - 1;
  size_t i = 0, stuffed = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, in + i);
    const auto behind = hn::Eq(hn::LoadU(d, before + i), ff), zeros = hn::Eq(bytes, zero);
    if (!hn::AllFalse(d, hn::AndNot(zeros, behind))) return -1;
    stuffed += hn::CountTrue(d, hn::And(zeros, behind));
    hn::Stream(bytes, d, out + i);
  }
  for (; i < n; ++i) {
    out[i] = in[i];
    if (before[i] != 0xFF) continue;
    if (in[i] != 0) return -1;
    ++stuffed;
  }
  return static_cast<int64_t>(stuffed);
}

}  // namespace penstock::codec::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec::jpeg {

HWY_EXPORT(CopyStretch);

bool copy_stuffed(std::span<const uint8_t> scan, uint8_t* to, std::vector<uint32_t>& kept_before) {
  kept_before.assign(1, 0);
  bool sound = scan.empty() || scan.back() != 0xFF;  // before a marker it is a fill byte
  for (size_t at = 0; at < scan.size() && sound; at += kStretch) {
    const size_t bytes = std::min(kStretch, scan.size() - at);
    const int64_t stuffed = HWY_DYNAMIC_DISPATCH(CopyStretch)(scan.data() + at, bytes, to + at);
    kept_before.push_back(kept_before.back() + static_cast<uint32_t>(static_cast<int64_t>(bytes) - stuffed));
    sound = stuffed >= 0;
  }
  hwy::FlushStream();
  return sound;
}

}  // namespace penstock::codec::jpeg
#endif  // HWY_ONCE
