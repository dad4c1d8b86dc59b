// How the pixels of a stored picture lie where they are shown: upright, mirrored or turned.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"

namespace penstock::cuda {

using codec::jpeg::ScanJob;

/// The wanted part of the stored picture.
struct Part {
  int y, x, height, width;

  __device__ explicit Part(const ScanJob& job) {
    const int down = job.height - 1, right = job.width - 1;
    const int last_y = job.y0 + down * job.row_y + right * job.column_y;
    const int last_x = job.x0 + down * job.row_x + right * job.column_x;
    y = min(job.y0, last_y);
    x = min(job.x0, last_x);
    height = abs(last_y - job.y0) + 1;
    width = abs(last_x - job.x0) + 1;
  }
};

/// Where a stored pixel is shown.
class Shown {
 public:
  __device__ explicit Shown(const ScanJob& job)
      : out_(job.out),
        y0_(job.y0),
        x0_(job.x0),
        // Steps of one axis are 1, -1 or 0.
        down_((job.row_y * job.width + job.column_y) * job.channels),
        right_((job.row_x * job.width + job.column_x) * job.channels),
        upright_(job.column_x == 1) {}

  __device__ uint8_t* at(int y, int x) const { return out_ + (int64_t{y - y0_} * down_ + int64_t{x - x0_} * right_); }
  /// Bytes from a stored pixel to its neighbour.
  __device__ int right() const { return right_; }
  /// Whether stored rows are shown as such, from left to right.
  __device__ bool upright() const { return upright_; }

 private:
  uint8_t* out_;
  int y0_, x0_, down_, right_;
  bool upright_;
};

}  // namespace penstock::cuda
