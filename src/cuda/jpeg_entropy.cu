// Entropy decoding of a batch of scans, a thread block each; see codec/jpeg/pieces.h for the idea. Each thread takes a
// piece: it decodes it from its first bit, then goes on into the next ones until it is in step with what was found
// there; a sum over the pieces says where their blocks lie; a last pass writes values.
#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "cuda/check.h"
#include "cuda/kernels.h"

namespace penstock::cuda {
namespace {

using namespace codec::jpeg;

constexpr int kThreads = ScanJob::kThreads, kWarps = kThreads / 32;
constexpr int kTables = 2 * ScanJob::kTables;
// Pictures fall into step within a few pieces, with subsampled chroma within 40. A crafted file must not keep the
// batch.
constexpr int kMaxRounds = 96;
constexpr unsigned kAll = 0xFFFFFFFF;
__device__ constexpr auto kOrder = make_natural_order();

struct Shared {
  uint32_t entries[kTables][EntryTable::kSize];
  uint32_t first_long[kTables];
  Cursor leaves[kThreads];  // how each piece was left
  uint32_t blocks_before[kThreads + 1];
  uint32_t warp_sums[kWarps];
  uint8_t order[80];
  int going;
};

__device__ uint32_t load_big_endian(const uint32_t* word) { return __byte_perm(__ldg(word), 0, 0x0123); }

__device__ void build_tables(Shared& shared, const ScanJob& job) {
  __shared__ CodeOrder orders[kTables];
  const int t = static_cast<int>(threadIdx.x);
  if (t < kTables && job.codes[t].defined) {
    orders[t].build(job.codes[t], t < ScanJob::kTables ? Coefficients::kDc : Coefficients::kAc);
    shared.first_long[t] = EntryTable::first_long(orders[t]);
  }
  __syncthreads();
  for (int table = 0; table < kTables; ++table) {
    if (!job.codes[table].defined) continue;
    const auto kind = table < ScanJob::kTables ? Coefficients::kDc : Coefficients::kAc;
    for (uint32_t i = threadIdx.x; i < EntryTable::kSize; i += kThreads)
      shared.entries[table][i] =
          entry_of(job.codes[table], orders[table], kind, EntryTable::bits_of(i, shared.first_long[table])).bits;
  }
}

/// Decodes up to `end`. `take(cursor, entry, bits)` sees each symbol, `end_block(cursor)` each end of a block and
/// returns true to stop there.
template <class Take, class EndBlock>
__device__ void decode(Cursor& at, uint32_t end, const ScanJob& job, const Shared& shared, Take&& take,
                       EndBlock&& end_block) {
  if (at.bit >= end) return;
  uint32_t word = at.bit >> 5;
  uint32_t high = load_big_endian(job.words + word), low = load_big_endian(job.words + word + 1);
  while (at.bit < end) {
    const uint32_t bits = __funnelshift_l(low, high, at.bit & 31);
    const uint32_t table =
        at.position ? ScanJob::kTables + (job.ac_tables >> at.in_mcu & 1) : job.dc_tables >> at.in_mcu & 1;
    const Entry entry{shared.entries[table][EntryTable::index_of(bits >> 16, shared.first_long[table])]};
    take(at, entry, bits);
    const bool done = at.pass(entry, static_cast<uint32_t>(job.mcu_blocks));
    if (done && end_block(at)) return;
    if (at.bit >> 5 != word) {  // by one: a symbol has 27 bits at most
      word = at.bit >> 5;
      high = low;
      low = load_big_endian(job.words + word + 1);
    }
  }
}

__device__ void follow(Cursor& at, uint32_t end, const ScanJob& job, const Shared& shared) {
  decode(
      at, end, job, shared, [](const Cursor&, Entry, uint32_t) {}, [](const Cursor&) { return false; });
}

/// A thread's piece, and the part of the scan in which it lies.
struct Piece {
  Segment segment;
  uint32_t number = 0, pieces = 0;  // in the segment

  __device__ uint32_t begin(const ScanJob& job) const { return segment.begin + number * job.piece_bits; }
  __device__ uint32_t end_of(uint32_t other, const ScanJob& job) const {
    return other + 1 == pieces ? segment.end : segment.begin + (other + 1) * job.piece_bits;
  }
};

__device__ Piece find_piece(const ScanJob& job, uint32_t t) {
  uint32_t low = 0, high = job.segment_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (job.segments[middle].first_piece <= t ? low : high) = middle;
  }
  const uint32_t end = low + 1 < job.segment_count ? job.segments[low + 1].first_piece : job.pieces;
  const Segment segment = job.segments[low];
  return {segment, t - segment.first_piece, end - segment.first_piece};
}

/// Leaves in `shared.leaves` how each piece is left, and how many blocks end in it, by one who began it rightly.
/// @return false where that takes too long
__device__ bool fall_into_step(const ScanJob& job, const Piece& piece, bool mine, Shared& shared) {
  const uint32_t t = threadIdx.x;
  Cursor at{.bit = mine ? piece.begin(job) : 0};
  if (mine) {
    follow(at, piece.end_of(piece.number, job), job, shared);
    shared.leaves[t] = at;
  }
  __syncthreads();
  bool out_of_step = mine;
  for (uint32_t round = 1; round <= kMaxRounds; ++round) {
    const uint32_t other = piece.number + round;
    out_of_step = out_of_step && other < piece.pieces;
    if (t == 0) shared.going = 0;
    __syncthreads();
    if (out_of_step) {
      at.blocks = 0;
      follow(at, piece.end_of(other, job), job, shared);
      Cursor& leaf = shared.leaves[t + round];
      out_of_step = !leaf.in_step_with(at);
      leaf = at;
      if (out_of_step) shared.going = 1;
    }
    __syncthreads();
    const bool again = shared.going != 0;
    __syncthreads();
    if (!again) return true;
  }
  return false;
}

/// blocks_before[t]: blocks of the file that end before piece t, all segments counted.
__device__ void sum_blocks(bool mine, Shared& shared) {
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  uint32_t sum = mine ? shared.leaves[t].blocks : 0;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(kAll, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) shared.warp_sums[warp] = sum;
  __syncthreads();
  uint32_t before = 0;
  for (uint32_t w = 0; w < warp; ++w) before += shared.warp_sums[w];
  shared.blocks_before[t + 1] = before + sum;
  if (t == 0) shared.blocks_before[0] = 0;
  __syncthreads();
}

/// Where to put the coefficients of a block of the file; null where they are not wanted.
__device__ int16_t* place_of(const ScanJob& job, uint32_t block) {
  const uint32_t mcu = block / static_cast<uint32_t>(job.mcu_blocks);
  const auto in_mcu = static_cast<int>(block % static_cast<uint32_t>(job.mcu_blocks));
  const int c = job.component_of[static_cast<size_t>(in_mcu)];
  if (c >= job.planes) return nullptr;
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  const int mcu_row = static_cast<int>(mcu) / job.mcu_columns, mcu_column = static_cast<int>(mcu) % job.mcu_columns;
  const int row = mcu_row * w.plane.block_rows + (in_mcu - w.first) / w.plane.blocks;
  const int column = mcu_column * w.plane.blocks + (in_mcu - w.first) % w.plane.blocks;
  if (!w.rows.contains(row) || !w.columns.contains(column)) return nullptr;
  const int index = (row - w.rows.begin) * (w.columns.end - w.columns.begin) + column - w.columns.begin;
  return job.coefficients + (size_t{w.blocks_before} + static_cast<size_t>(index)) * 64;
}

/// @return false where the bits are not as an encoder writes them
__device__ bool write_values(const ScanJob& job, const Piece& piece, const Shared& shared) {
  const uint32_t t = threadIdx.x;
  const Segment& segment = piece.segment;
  Cursor at = piece.number > 0 ? shared.leaves[t - 1] : Cursor{.bit = segment.begin};
  at.blocks = shared.blocks_before[t] - shared.blocks_before[segment.first_piece];
  bool good = piece.number + 1 < piece.pieces ||
              shared.blocks_before[t + 1] - shared.blocks_before[segment.first_piece] >= segment.blocks;
  if (at.blocks >= segment.blocks) return good;
  int16_t* values = place_of(job, segment.first_block + at.blocks);
  const auto take = [&](const Cursor& now, Entry entry, uint32_t bits) {
    good &= !entry.none();
    const auto value = static_cast<int16_t>(value_of(bits << entry.code(), entry.size()));
    if (now.position == 0)
      job.dc[segment.first_block + now.blocks] = value;
    else if (entry.size() && values)
      values[shared.order[now.position + entry.advance() - 1]] = value;
  };
  const auto end_block = [&](const Cursor& now) {
    if (now.blocks == segment.blocks) {
      good &= now.bit <= segment.end;
      return true;
    }
    values = place_of(job, segment.first_block + now.blocks);
    return false;
  };
  decode(at, piece.end_of(piece.number, job), job, shared, take, end_block);
  return good;
}

/// DC differences to DC values, a warp a component of a segment.
/// @return false where a value leaves 16 bits: libjpeg has rules of its own for such files
__device__ bool sum_dc(const ScanJob& job) {
  const uint32_t lane = threadIdx.x % 32;
  bool good = true;
  const uint32_t tasks = job.segment_count * static_cast<uint32_t>(job.planes);
  for (uint32_t task = threadIdx.x / 32; task < tasks; task += kWarps) {
    const Segment segment = job.segments[task / static_cast<uint32_t>(job.planes)];
    const WantedPlane& w = job.wanted[task % static_cast<uint32_t>(job.planes)];
    const auto own = static_cast<uint32_t>(w.plane.block_rows * w.plane.blocks);
    const auto mcu_blocks = static_cast<uint32_t>(job.mcu_blocks);
    const uint32_t n = segment.blocks / mcu_blocks * own;
    int sum = 0;
    for (uint32_t first = 0; first < n; first += 32) {
      const uint32_t i = first + lane;
      int16_t* value = job.dc + segment.first_block + i / own * mcu_blocks + static_cast<uint32_t>(w.first) + i % own;
      int here = i < n ? *value : 0;
      for (uint32_t d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(kAll, here, d);
        if (lane >= d) here += before;
      }
      here += sum;
      if (i < n) *value = static_cast<int16_t>(here);
      good &= here == static_cast<int16_t>(here);
      sum = __shfl_sync(kAll, here, 31);
    }
  }
  return good;
}

__global__ void __launch_bounds__(kThreads) entropy_kernel(const ScanJob* jobs) {
  extern __shared__ uint4 memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  __shared__ ScanJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.x)[i];
  if (threadIdx.x < sizeof(shared.order)) shared.order[threadIdx.x] = kOrder[threadIdx.x];
  __syncthreads();
  if (job.pieces == 0 || job.pixels) return;
  build_tables(shared, job);
  for (size_t i = threadIdx.x; i < size_t{job.wanted_blocks} * 8; i += kThreads)
    reinterpret_cast<uint4*>(job.coefficients)[i] = uint4{};
  __syncthreads();
  const bool mine = threadIdx.x < job.pieces;
  const Piece piece = mine ? find_piece(job, threadIdx.x) : Piece{};
  bool good = fall_into_step(job, piece, mine, shared);
  if (good) {  // for all threads or for none
    sum_blocks(mine, shared);
    if (mine) good = write_values(job, piece, shared);
    __syncthreads();
    good &= sum_dc(job);
  }
  if (!good) *job.refused = 1;
}
static_assert(sizeof(ScanJob) % sizeof(uint32_t) == 0);

}  // namespace

void decode_jpeg_entropy(cudaStream_t stream, const ScanJob* jobs, int count) {
  if (!count) return;
  // More than kernels get without asking.
  check(cudaFuncSetAttribute(entropy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)),
        "cudaFuncSetAttribute");
  entropy_kernel<<<static_cast<unsigned>(count), kThreads, sizeof(Shared), stream>>>(jobs);
  check_launch("decoding a batch of JPEG files");
}

}  // namespace penstock::cuda
