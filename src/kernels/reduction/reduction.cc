#include "kernels/reduction/reduction.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/check.h"
#include "core/dispatch.h"
#include "kernels/reduction/body.h"

namespace penstock::kernels {
namespace {

// Sums side by side: for neighbouring results, or of one result, whose additions need not wait for each other then.
constexpr int64_t kLanes = 8;

void add_axis(ReductionAxes& axes, int64_t extent, int64_t stride) {
  PENSTOCK_CHECK(extent <= std::numeric_limits<int32_t>::max(), ArgumentError,
                 "an axis of a reduced sample may have 2^31 - 1 elements, got {}", extent);
  if (extent == 1) return;
  const int last = axes.ndim - 1;
  const bool joined = last >= 0 && axes.strides[last] == stride * extent &&
                      extent * axes.extents[last] <= std::numeric_limits<int32_t>::max();
  if (joined) {
    axes.extents[last] *= static_cast<int32_t>(extent);
    axes.strides[last] = stride;
    return;
  }
  axes.extents[axes.ndim] = static_cast<int32_t>(extent);
  axes.strides[axes.ndim++] = stride;
}

/// Walks the reduced axes: fn(place, elements, stride) for each innermost run.
template <class Fn>
void for_each_run(const ReductionJob& job, Fn&& fn) {
  const ReductionAxes& axes = job.reduced;
  const int inner = axes.ndim - 1;
  const int64_t elements = inner < 0 ? 1 : axes.extents[inner], stride = inner < 0 ? 0 : axes.strides[inner];
  if (job.size == 0) return;
  ReductionAxes outer = axes;
  outer.ndim = std::max(inner, 0);
  for (int64_t run = 0; run < job.size / elements; ++run) fn(place_of(outer, run), elements, stride);
}

/// One result.
template <class Reducer, class In>
auto reduce(const ReductionJob& job, const Reducer& reducer, const In* in) {
  std::array<typename Reducer::Partial, kLanes> lanes;
  lanes.fill(Reducer::start());
  for_each_run(job, [&](int64_t place, int64_t elements, int64_t stride) {
    const In* from = in + place;
    int64_t i = 0;
    for (; i + kLanes <= elements; i += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        auto& mine = lanes[static_cast<size_t>(lane)];
        mine = Reducer::join(mine, reducer.of(from[(i + lane) * stride]));
      }
    for (; i < elements; ++i) lanes[0] = Reducer::join(lanes[0], reducer.of(from[i * stride]));
  });
  auto all = lanes[0];
  for (size_t lane = 1; lane < lanes.size(); ++lane) all = Reducer::join(all, lanes[lane]);
  return all;
}

/// Neighbouring results whose elements lie side by side.
template <class Reducer, class In>
void reduce_columns(const ReductionJob& job, DType out, int64_t first, int64_t count, const In* in) {
  std::array<typename Reducer::Partial, kLanes> columns;
  columns.fill(Reducer::start());
  std::array<Reducer, kLanes> reducers = [&]<size_t... kAll>(std::index_sequence<kAll...>) {
    return std::array{Reducer(job, first + std::min<int64_t>(kAll, count - 1))...};
  }(std::make_index_sequence<kLanes>());
  for_each_run(job, [&](int64_t place, int64_t elements, int64_t stride) {
    for (int64_t i = 0; i < elements; ++i)
      for (size_t column = 0; column < static_cast<size_t>(count); ++column)
        columns[column] = Reducer::join(columns[column], reducers[column].of(in[place + i * stride + static_cast<int64_t>(column)]));
  });
  for (int64_t column = 0; column < count; ++column)
    store_result(job, out, first + column, columns[static_cast<size_t>(column)]);
}

template <class Reducer, class In>
void run(const ReductionJob& job, DType out) {
  const auto* in = static_cast<const In*>(job.in);
  const int inner = job.kept.ndim - 1;
  const int64_t side_by_side = inner >= 0 && job.kept.strides[inner] == 1 ? job.kept.extents[inner] : 1;
  for (int64_t result = 0; result < job.results;) {
    const int64_t left = side_by_side - result % side_by_side, count = std::min(left, kLanes);
    if (count > 1)
      reduce_columns<Reducer>(job, out, result, count, in + place_of(job.kept, result));
    else
      store_result(job, out, result, reduce(job, Reducer(job, result), in + place_of(job.kept, result)));
    result += count;
  }
}

}  // namespace

ReductionJob reduction_job(Reduction reduction, const Shape& shape, std::span<const bool> reduced,
                           std::span<const int64_t> strides) {
  ReductionJob job{.reduction = reduction};
  int64_t dense = shape.volume();
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const int64_t extent = shape[axis];
    dense = extent > 0 ? dense / extent : 0;
    const bool along = reduced[static_cast<size_t>(axis)];
    add_axis(along ? job.reduced : job.kept, extent, strides.empty() ? dense : strides[static_cast<size_t>(axis)]);
    (along ? job.size : job.results) *= extent;
  }
  return job;
}

size_t divide_for_gpu(ReductionJob& job, int jobs) {
  // Thread blocks that keep an H100 busy, and elements below which a part is not worth one.
  constexpr int64_t kBusy = 1024, kLeast = 8192, kMost = 64;
  const int64_t wanted = kBusy / std::max<int64_t>(int64_t{jobs} * job.results, 1);
  job.parts = static_cast<int32_t>(std::clamp<int64_t>(std::min(wanted, job.size / kLeast), 1, kMost));
  return job.parts == 1 ? 0 : static_cast<size_t>(job.results * job.parts) * sizeof(double);
}

void run_reduction(const ReductionJob& job, DType in, DType out) {
  PENSTOCK_CHECK(out != DType::kFloat16 && out != DType::kBFloat16, TypeError, "reductions do not give {}",
                 name_of(out));
  const auto all = [&]<class In>(In) {
    with_reducer<In>(job.reduction, [&]<class Reducer>() { run<Reducer, In>(job, out); });
  };
  if (in == DType::kBool) return all(uint8_t{});
  dispatch_among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float, double>(
      in, [&]<class In>(Tag<In>) { all(In{}); });
}

}  // namespace penstock::kernels
