// The inverse cosine transform of blocks, eight threads for each: a column and then a row. What comes out is
// codec/jpeg/transform.h's, bit by bit.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "codec/jpeg/transform.h"
#include "cuda/support/pack.cuh"
#include "cuda/support/team.cuh"

namespace penstock::cuda {

using codec::jpeg::kSide;
using codec::jpeg::ScanJob;
using codec::jpeg::WantedPlane;

/// The arithmetic of a pass on numbers of 32 bits: sums that are of 16 bits elsewhere wrap around as there, results are
/// saturated as they are packed.
template <int kShift>
struct PassOps {
  constexpr int add(int a, int b) const { return static_cast<int16_t>(a + b); }
  constexpr int sub(int a, int b) const { return static_cast<int16_t>(a - b); }
  /// Each result has one of these in it, so what rounds them is added here.
  constexpr uint32_t scale(int a) const {
    return (static_cast<uint32_t>(a) << codec::jpeg::kConstantBits) + (1U << (kShift - 1));
  }
  template <int kA, int kB>
  constexpr uint32_t pair(int a, int b) const {
    return static_cast<uint32_t>(a * kA) + static_cast<uint32_t>(b * kB);
  }
  constexpr uint32_t sum(uint32_t a, uint32_t b) const { return a + b; }
  constexpr uint32_t difference(uint32_t a, uint32_t b) const { return a - b; }
  template <int kSame>
  constexpr int narrow(uint32_t a) const {
    static_assert(kSame == kShift);
    return static_cast<int32_t>(a) >> kShift;
  }
};

/// A block's numbers on their way from rows to columns, in shared memory: rows are written, columns read. The room
/// behind keeps the blocks of a warp in different banks.
struct alignas(16) BlockTile {
  int16_t rows[kSide][kSide];
  int16_t room[kSide];

  __device__ void write(uint32_t row, uint4 values) { *reinterpret_cast<uint4*>(rows[row]) = values; }
  __device__ void read(uint32_t column, int (&values)[kSide]) const {
    for (int k = 0; k < kSide; ++k) values[k] = rows[k][column];
  }
};
struct BlockTiles {
  BlockTile coefficients, halfway;
};

/// What a component's coefficients are multiplied with, by column.
struct alignas(16) Factors {
  int32_t columns[kSide][kSide];

  __device__ void set(const WantedPlane& w, uint32_t i) { columns[i % kSide][i / kSide] = w.quantisation[i]; }
};

/// @param row of the block's coefficients, the thread's own of eight
/// @return the samples of that row, by all threads of a warp together
__device__ inline uint2 inverse_transform(uint4 row, const Factors& factors, BlockTiles& tiles) {
  const uint32_t lane = threadIdx.x % 32, own = lane / kSide, i = lane % kSide;
  const bool more = i > 0 && (row.x | row.y | row.z | row.w) != 0;
  const bool flat = (__ballot_sync(kAllLanes, more) >> (own * kSide) & 0xFF) == 0;
  int x[kSide];
  tiles.coefficients.write(i, row);
  __syncwarp();
  tiles.coefficients.read(i, x);
  for (int k = 0; k < kSide; ++k) x[k] = static_cast<int16_t>(x[k] * factors.columns[i][k]);
  // libjpeg-turbo's way out for blocks without vertical frequencies.
  const int same = static_cast<int16_t>(x[0] * (1 << codec::jpeg::kPassBits));
  codec::jpeg::inverse_pass<codec::jpeg::kFirstShift>(PassOps<codec::jpeg::kFirstShift>(), x);
  for (int k = 0; k < kSide; ++k) x[k] = flat ? same : x[k];
  tiles.halfway.write(
      i, {pack_shorts(x[0], x[1]), pack_shorts(x[2], x[3]), pack_shorts(x[4], x[5]), pack_shorts(x[6], x[7])});
  __syncwarp();
  tiles.halfway.read(i, x);
  codec::jpeg::inverse_pass<codec::jpeg::kSecondShift>(PassOps<codec::jpeg::kSecondShift>(), x);
  constexpr uint32_t kAdd128 = 0x80808080;  // to numbers that are saturated to bytes with a sign
  return {pack_signed_bytes(x[0], x[1], x[2], x[3]) ^ kAdd128, pack_signed_bytes(x[4], x[5], x[6], x[7]) ^ kAdd128};
}

/// The number among all blocks of the file.
__device__ inline uint32_t number_in_file(const ScanJob& job, const WantedPlane& w, int row, int column) {
  const int down = w.plane.block_rows, across = w.plane.blocks;
  if (down == 1 && across == 1)  // spares the divisions
    return static_cast<uint32_t>((row * job.mcu_columns + column) * job.mcu_blocks + w.first);
  const int mcu = row / down * job.mcu_columns + column / across;
  return static_cast<uint32_t>(mcu * job.mcu_blocks + w.first + row % down * across + column % across);
}

/// The thread's row of a block's coefficients.
/// @param wanted the block's number among the wanted ones
__device__ inline uint4 coefficients_of(const ScanJob& job, const WantedPlane& w, uint32_t wanted, int row,
                                        int column) {
  const uint32_t i = threadIdx.x % kSide;
  uint4 values = __ldg(reinterpret_cast<const uint4*>(job.coefficients) + size_t{wanted} * kSide + i);
  if (i == 0)
    values.x = __byte_perm(values.x, static_cast<uint16_t>(job.dc[number_in_file(job, w, row, column)]), 0x3254);
  return values;
}

}  // namespace penstock::cuda
