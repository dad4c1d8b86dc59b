#include "codec/past_caches.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/past_caches.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whole vectors. @return bytes
size_t StreamVectors(const uint8_t* from, size_t bytes, uint8_t* to) {
  const hn::CappedTag<uint8_t, 64> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= bytes; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  return i;
}

}  // namespace penstock::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::codec {

HWY_EXPORT(StreamVectors);

void copy_past_caches(std::span<const uint8_t> from, uint8_t* to) {
  const size_t streamed = HWY_DYNAMIC_DISPATCH(StreamVectors)(from.data(), from.size(), to);
  hwy::FlushStream();
  std::ranges::copy(from.subspan(streamed), to + streamed);
}

}  // namespace penstock::codec
#endif  // HWY_ONCE
