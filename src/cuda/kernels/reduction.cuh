// Reductions along axes, for a ragged batch: a thread block a few neighbouring results, or a part of one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/support/threads.cuh"
#include "kernels/reduction/body.h"

namespace penstock::cuda {

inline constexpr int kReductionThreads = 256;
static_assert(sizeof(double) == sizeof(int64_t));

/// How a thread block's threads share results: neighbouring threads read neighbouring elements where it is results that
/// lie side by side, and where it is elements of one.
struct ReductionTile {
  int64_t columns = 1;  ///< results of a tile
  int64_t rows = 1;     ///< threads of each
  int64_t across = 1;   ///< tiles of a row of results

  __device__ explicit ReductionTile(const kernels::ReductionJob& job) {
    const int inner = job.kept.ndim - 1, run = job.reduced.ndim - 1;
    const bool side_by_side =
        inner >= 0 && (run < 0 || job.kept.strides[inner] < job.reduced.strides[run]);
    const int64_t extent = side_by_side ? job.kept.extents[inner] : 1;
    columns = extent < kReductionThreads ? extent : kReductionThreads;
    rows = kReductionThreads / columns;
    across = (extent + columns - 1) / columns;
    extent_ = extent;
  }
  __device__ int64_t tiles(const kernels::ReductionJob& job) const { return job.results / extent_ * across; }
  __device__ int64_t first(int64_t tile) const { return tile / across * extent_ + tile % across * columns; }
  __device__ int64_t count(int64_t tile) const {
    const int64_t left = extent_ - tile % across * columns;
    return left < columns ? left : columns;
  }

 private:
  int64_t extent_ = 1;
};

/// What a thread finds of one result, elements `row`, `row + rows`, ... of the part.
template <class Reducer, class In>
__device__ typename Reducer::Partial reduce_part(const kernels::ReductionJob& job, int64_t result, int32_t part,
                                                 int64_t row, int64_t rows) {
  const Reducer reducer(job, result);
  const In* in = static_cast<const In*>(job.in) + kernels::place_of(job.kept, result);
  const int64_t each = (job.size + job.parts - 1) / job.parts, begin = part * each;
  const int64_t end = begin + each < job.size ? begin + each : job.size;
  auto mine = Reducer::start();
  if (job.reduced.ndim <= 1) {
    const int64_t stride = job.reduced.ndim == 1 ? job.reduced.strides[0] : 0;
    for (int64_t i = begin + row; i < end; i += rows) mine = Reducer::join(mine, reducer.of(in[i * stride]));
  } else if (job.size <= INT32_MAX) {  // divisions of 64 bits would take most of the time
    for (int64_t i = begin + row; i < end; i += rows)
      mine = Reducer::join(mine, reducer.of(in[kernels::place_of(job.reduced, static_cast<uint32_t>(i))]));
  } else {
    for (int64_t i = begin + row; i < end; i += rows)
      mine = Reducer::join(mine, reducer.of(in[kernels::place_of(job.reduced, i)]));
  }
  return mine;
}

/// Notes what a part came to. The last one of a result puts all together, in their order.
template <class Reducer>
__device__ void end_part(const kernels::ReductionJob& job, DType out, int64_t result, int32_t part,
                         typename Reducer::Partial all) {
  using Partial = typename Reducer::Partial;
  if (job.parts == 1) return kernels::store_result(job, out, result, all);
  auto* partial = reinterpret_cast<Partial*>(job.partial) + result * job.parts;
  partial[part] = all;
  __threadfence();
  if (atomicAdd(&job.ended[result], 1u) + 1 != static_cast<uint32_t>(job.parts)) return;
  __threadfence();
  all = Reducer::start();
  for (int32_t k = 0; k < job.parts; ++k) all = Reducer::join(all, *static_cast<const volatile Partial*>(partial + k));
  kernels::store_result(job, out, result, all);
}

template <class Reducer, class In>
__device__ void reduce_tiles(const kernels::ReductionJob& job, DType out, uint64_t* room) {
  using Partial = typename Reducer::Partial;
  auto* partials = reinterpret_cast<Partial*>(room);
  const ReductionTile tile(job);
  const int64_t column = threadIdx.x % tile.columns, row = threadIdx.x / tile.columns;
  for (int64_t unit = blockIdx.x; unit < tile.tiles(job) * job.parts; unit += gridDim.x) {
    const int64_t number = unit / job.parts, first = tile.first(number), count = tile.count(number);
    const auto part = static_cast<int32_t>(unit - number * job.parts);
    const bool works = row < tile.rows && column < count;
    partials[threadIdx.x] =
        works ? reduce_part<Reducer, In>(job, first + column, part, row, tile.rows) : Reducer::start();
    // Rows halve, the odd one joins the first.
    for (int64_t rows = tile.rows; rows > 1; rows = (rows + 1) / 2) {
      __syncthreads();
      const int64_t upper = (rows + 1) / 2;
      if (row + upper < rows)
        partials[threadIdx.x] = Reducer::join(partials[threadIdx.x], partials[threadIdx.x + upper * tile.columns]);
    }
    if (row == 0 && column < count) end_part<Reducer>(job, out, first + column, part, partials[threadIdx.x]);
    __syncthreads();  // before the next tile
  }
}

template <class In>
__global__ void __launch_bounds__(kReductionThreads)
    reduction_kernel(const std::byte* jobs, size_t stride, DType out) {
  __shared__ kernels::ReductionJob job;
  __shared__ uint64_t room[kReductionThreads];
  static_assert(sizeof(job) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kReductionThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y * stride)[i];
  __syncthreads();
  if (job.results == 0) return;
  uint64_t* const partials = room;
  kernels::with_reducer<In>(job.reduction, [&]<class Reducer>() { reduce_tiles<Reducer, In>(job, out, partials); });
}

}  // namespace penstock::cuda
