// Regions of pictures on canvases: each thread makes 16 bytes, which mostly come out of one region or none.
#pragma once

#include <cstdint>

#include "cuda/support/run.cuh"
#include "cuda/support/threads.cuh"
#include "kernels/paste/job.h"

namespace penstock::cuda {

using kernels::PasteJob;
using kernels::PastePiece;

inline constexpr int kPasteThreads = 256;

/// The region on top of those that have one of `count` elements of a row, or -1.
__device__ inline int top_piece(const PasteJob& job, int64_t row, int64_t element, int64_t count) {
  for (int k = job.count - 1; k >= 0; --k) {
    const PastePiece& piece = job.pieces[k];
    if (piece.has_row(row) && element < piece.x + piece.elements && element + count > piece.x) return k;
  }
  return -1;
}

template <class T>
__device__ T element_of_canvas(const PasteJob& job, int64_t at) {
  const int64_t line = at / job.row_elements, frame = line / job.rows, row = line - frame * job.rows;
  const int64_t element = at - line * job.row_elements;
  const int top = top_piece(job, row, element, 1);
  if (top < 0) return 0;
  const PastePiece& piece = job.pieces[top];
  return static_cast<const T*>(piece.from)[piece.offset(frame, row, element)];
}

template <class T>
__global__ void __launch_bounds__(kPasteThreads) paste_kernel(const PasteJob* jobs) {
  constexpr int64_t kRun = kRunBytes / sizeof(T);
  const PasteJob job = jobs[blockIdx.y];
  const int64_t all = job.elements();
  T* const out = static_cast<T*>(job.out);
  // Runs end where 16 bytes do: the first one may begin before the canvas.
  const auto before = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kRunBytes / sizeof(T));
  const int64_t stride = int64_t{gridDim.x} * kPasteThreads * kRun;
  for (int64_t at = (int64_t{blockIdx.x} * kPasteThreads + threadIdx.x) * kRun - before; at < all; at += stride) {
    const int64_t line = at / job.row_elements, element = at - line * job.row_elements;
    if (at >= 0 && element + kRun <= job.row_elements) {
      const int64_t frame = job.frames == 1 ? 0 : line / job.rows, row = line - frame * job.rows;
      const int top = top_piece(job, row, element, kRun);
      const PastePiece piece = top < 0 ? PastePiece{} : job.pieces[top];
      if (top < 0 || (element >= piece.x && element + kRun <= piece.x + piece.elements)) {
        uint4 run{0, 0, 0, 0};
        if (top >= 0) run = load_run(static_cast<const T*>(piece.from) + piece.offset(frame, row, element));
        *reinterpret_cast<uint4*>(out + at) = run;
        continue;
      }
    }
    for (int64_t i = max(at, int64_t{0}); i < min(at + kRun, all); ++i) out[i] = element_of_canvas<T>(job, i);
  }
}

}  // namespace penstock::cuda
