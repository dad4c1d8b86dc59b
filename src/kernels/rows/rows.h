// What the host does of the same.
#pragma once

#include "core/convert.h"
#include "kernels/rows/job.h"

namespace penstock::kernels {

template <class In, class Out>
void map_rows(const RowsJob& job) {
  const In* in = static_cast<const In*>(job.in);
  Out* out = static_cast<Out*>(job.out);
  for (int64_t row = 0; row < job.rows; ++row, in += job.inputs) {
    const float* matrix = job.matrix;
    for (int i = 0; i < job.outputs; ++i) {
      float sum = 0;
      for (int k = 0; k < job.inputs; ++k) sum += *matrix++ * static_cast<float>(in[k]);
      *out++ = convert_sat<Out>(sum + job.offset[i]);
    }
  }
}

}  // namespace penstock::kernels
