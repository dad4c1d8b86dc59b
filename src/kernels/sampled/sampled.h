// Looking elements up at the places that a map says, on the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>

#include "core/dispatch.h"
#include "kernels/sampled/block.h"
#include "kernels/sampled/body.h"

namespace penstock::kernels {

/// Indices [begin, end) along each axis.
struct SampledBox {
  int64_t begin[kSampledAxes] = {};
  int64_t end[kSampledAxes] = {};
};

/// Elements of a source of that size that positions [first, first + extent) of the result read: a box around them, with
/// room for rounding. Empty where all of them get the fill value.
SampledBox sampled_need(const AffineMap& map, const SampledTarget& target, const int64_t (&size)[kSampledAxes],
                        bool clamp);

/// Makes the pictures of a job: some positions of a row at a time.
template <class Map>
void run_sampled_pictures(const SampledJob<Map>& job, DType in, DType out) {
  const SampledTarget& target = job.target;
  const size_t width = static_cast<size_t>(std::max(target.extent[0], 0));
  const size_t position = static_cast<size_t>(job.source.channels) * size_of(out);
  auto* made = static_cast<std::byte*>(target.out);
  SampledBlock block;
  for (int32_t frame = 0; frame < job.frames; ++frame)
    for (int32_t y = 0; y < target.extent[1]; ++y)
      for (size_t first = 0; first < width; first += SampledBlock::kMost) {
        const size_t count = std::min(SampledBlock::kMost, width - first);
        for (size_t i = 0; i < count; ++i) {
          const auto x = static_cast<int32_t>(first + i);
          const SampledPlace place = place_of(job.map, centre_at(target, x, y, frame));
          block.place[0][i] = place.at[0];
          block.place[1][i] = place.at[1];
        }
        sample_block(job.source, frame, block, count, in, out, made);
        made += count * position;
      }
}

template <class Map>
void run_sampled_volumes(const SampledJob<Map>& job, DType in, DType out) {
  const auto all = [&]<class In, class Out>(Tag<In>, Tag<Out>) {
    const SampledTarget& target = job.target;
    for (int32_t z = 0; z < job.planes(); ++z)
      for (int32_t y = 0; y < target.extent[1]; ++y)
        for (int32_t x = 0; x < target.extent[0]; ++x) sample_position<In, Out, true>(job, x, y, z);
  };
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in, [&](auto from) {
    if (in == out) return all(from, from);
    dispatch_among<float>(out, [&](auto to) { all(from, to); });
  });
}

/// Runs a job on the CPU, where all its addresses are the host's. Any window gives the same bits as that part of the
/// whole, and a GPU gives the same bits, too.
/// @throws TypeError for other types than uint8, int16, uint16, int32 and float, and for results of another type than
/// the source's and float
template <class Map>
void run_sampled(const SampledJob<Map>& job, DType in, DType out) {
  if (job.source.ndim == 3)
    run_sampled_volumes(job, in, out);
  else
    run_sampled_pictures(job, in, out);
}
extern template void run_sampled(const SampledJob<AffineMap>&, DType, DType);

}  // namespace penstock::kernels
