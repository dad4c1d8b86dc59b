#include "kernels/separable/separable.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/separable/body.h"

namespace penstock::kernels {
namespace {

// Sums of so many elements at a time stay in the first cache while all taps are added.
constexpr int64_t kChunk = 1024;
// With fewer elements between neighbours of an axis, a line is laid out with its borders first.
constexpr int32_t kWide = 32;

int32_t checked(int64_t extent) {
  PENSTOCK_CHECK(extent >= 0 && extent <= std::numeric_limits<int32_t>::max(), ArgumentError,
                 "an axis of a filtered sample may have 2^31 - 1 elements, got {}", extent);
  return static_cast<int32_t>(extent);
}

template <class In>
void add(float weight, const In* from, float* sums, int64_t count) {
  for (int64_t e = 0; e < count; ++e) sums[e] += weight * static_cast<float>(from[e]);
}

template <class Out>
void store(const float* sums, Out* to, int64_t count) {
  for (int64_t e = 0; e < count; ++e) to[e] = convert_sat<Out>(sums[e]);
}

/// Where neighbours of the axis lie far apart: sums of whole rows.
template <class In, class Out>
void convolve_rows(const SeparablePass& pass, Border border, const In* in, Out* out) {
  std::array<float, kChunk> sums;
  for (int64_t from = 0; from < pass.inner; from += kChunk) {
    const int64_t count = std::min<int64_t>(kChunk, pass.inner - from);
    for (int32_t i = 0; i < pass.out_extent; ++i) {
      sums.fill(0);
      for (int32_t tap = 0; tap < pass.taps; ++tap)
        if (const int32_t at = source_index(pass, border, i, tap); at >= 0)
          add(weight_of(pass, tap), in + int64_t{at} * pass.inner + from, sums.data(), count);
      store(sums.data(), out + int64_t{i} * pass.inner + from, count);
    }
  }
}

/// Where they lie close: sums along one line, which has its borders at both ends.
template <class In, class Out>
void convolve_line(const SeparablePass& pass, Border border, const In* in, Out* out, std::vector<float>& line) {
  const int64_t inner = pass.inner, all = (int64_t{pass.out_extent} + pass.taps - 1) * inner;
  line.resize(static_cast<size_t>(all));
  for (int64_t e = 0; e < all; e += inner) {
    const int32_t at = source_index(pass, border, 0, static_cast<int32_t>(e / inner));
    for (int64_t n = 0; n < inner; ++n)
      line[static_cast<size_t>(e + n)] = at < 0 ? 0 : static_cast<float>(in[at * inner + n]);
  }
  std::array<float, kChunk> sums;
  const int64_t elements = pass.out_extent * inner;
  for (int64_t from = 0; from < elements; from += kChunk) {
    const int64_t count = std::min(kChunk, elements - from);
    sums.fill(0);
    for (int32_t tap = 0; tap < pass.taps; ++tap)
      add(weight_of(pass, tap), &line[static_cast<size_t>(from + tap * inner)], sums.data(), count);
    store(sums.data(), out + from, count);
  }
}

template <class In, class Out>
void run_pass(const SeparablePass& pass, Border border, const In* in, Out* out) {
  std::vector<float> line;
  const int64_t in_size = int64_t{pass.in_extent} * pass.inner, out_size = int64_t{pass.out_extent} * pass.inner;
  for (int64_t o = 0; o < pass.outer; ++o, in += in_size, out += out_size)
    if (pass.inner >= kWide)
      convolve_rows(pass, border, in, out);
    else
      convolve_line(pass, border, in, out, line);
}

/// All passes but where they begin: from `In` and floats to floats, or to `Out` at the end.
template <class In, class Out>
void run_passes(const SeparableJob& job) {
  for (int32_t p = 0; p < job.passes; ++p) {
    const SeparablePass& pass = job.pass[p];
    const bool last = p + 1 == job.passes;
    const auto from = [&](const auto* in) {
      if (last)
        run_pass(pass, job.border, in, static_cast<Out*>(job.out));
      else
        run_pass(pass, job.border, in, job.between[between_of(p)]);
    };
    if (p == 0)
      from(static_cast<const In*>(job.in));
    else
      from(static_cast<const float*>(job.between[between_of(p - 1)]));
  }
}

}  // namespace

SeparableNeed separable_need(int64_t first, int64_t extent, int64_t size, int64_t taps, int64_t anchor,
                             Border border) {
  if (extent <= 0) return {first, first};
  const int64_t begin = first - anchor, end = first + extent + std::max<int64_t>(taps, 1) - 1 - anchor;
  if (begin >= 0 && end <= size) return {begin, end};
  if (border == Border::kWrap) return {0, size};
  // What is folded back at one end may reach beyond what is wanted, and again beyond the other end.
  const bool once = begin > -size && end < 2 * size;
  if (border == Border::kReflect101 || border == Border::kReflect1001) {
    if (!once) return {0, size};
    int64_t low = std::max<int64_t>(begin, 0), high = std::min(end, size);
    if (begin < 0) {
      high = std::max(high, std::min(size, -begin + 1));
      low = 0;
    }
    if (end > size) {
      low = std::min(low, std::max<int64_t>(0, 2 * size - 1 - end));
      high = size;
    }
    return {std::min(low, size - 1), high};
  }
  const int64_t low = std::clamp<int64_t>(begin, 0, size - 1);
  return {low, std::clamp<int64_t>(end, low + 1, size)};
}

SeparableJob separable_job(int64_t outer, std::span<const SeparableAxis> axes, int64_t inner, Border border) {
  PENSTOCK_CHECK(!axes.empty() && axes.size() <= kSeparableAxes, InternalError, "a filter of {} axes", axes.size());
  SeparableJob job;
  job.border = border;
  for (const SeparableAxis& axis : axes) outer *= axis.in_extent;
  // Passes go from the innermost axis to the outermost: what is inside of an axis has its result's extent already.
  for (size_t k = axes.size(); k-- > 0;) {
    const SeparableAxis& axis = axes[k];
    if (axis.in_extent > 0) outer /= axis.in_extent;
    const bool same = axis.weights.empty() && axis.first == axis.held && axis.out_extent == axis.in_extent;
    if (!same || (k == 0 && job.passes == 0)) {
      SeparablePass& pass = job.pass[job.passes++];
      pass = {.weights = axis.weights.empty() ? nullptr : axis.weights.data(),
              .taps = axis.weights.empty() ? 1 : checked(static_cast<int64_t>(axis.weights.size())),
              .anchor = axis.weights.empty() ? 0 : checked(axis.anchor),
              .size = checked(axis.size),
              .held = checked(axis.held),
              .in_extent = checked(axis.in_extent),
              .first = checked(axis.first),
              .out_extent = checked(axis.out_extent),
              .inner = checked(inner),
              .outer = outer};
    }
    inner *= axis.out_extent;
  }
  return job;
}

SeparableBetween separable_between(const SeparableJob& job) {
  SeparableBetween between;
  for (int32_t p = 0; p + 1 < job.passes; ++p) between.floats[between_of(p)] = job.pass[p].elements();
  return between;
}

void add_to_launch(SeparableParameters& parameters, const SeparableJob& job) {
  parameters.passes = std::max(parameters.passes, job.passes);
  for (int32_t p = 0; p < job.passes; ++p)
    parameters.most_elements[p] = std::max(parameters.most_elements[p], job.pass[p].elements());
}

void run_separable(const SeparableJob& job, DType in, DType out) {
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in, [&]<class In>(Tag<In>) {
    if (out == in) return run_passes<In, In>(job);
    PENSTOCK_CHECK(out == DType::kFloat, TypeError, "a filter of {} gives {} or float, not {}", name_of(in),
                   name_of(in), name_of(out));
    run_passes<In, float>(job);
  });
}

}  // namespace penstock::kernels
