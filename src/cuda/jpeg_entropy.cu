// Entropy decoding of a batch of scans, a thread block each, or several where there are few scans; see
// codec/jpeg/pieces.h for the idea. Each thread takes a piece: it decodes it from its first bit, then goes on into the
// next ones until it is in step with what was found there; a sum over the pieces says where their blocks lie; a last
// pass writes values. Where checkpoints say how pieces begin, which are runs then, the last pass is all.
#include <algorithm>
#include <cstdint>

#include "codec/jpeg/pieces.h"
#include "cuda/check.h"
#include "cuda/jpeg_dc.cuh"
#include "cuda/kernels.h"
#include "cuda/team.cuh"

namespace penstock::cuda {
namespace {

using namespace codec::jpeg;

constexpr int kThreads = ScanJob::kThreads, kWarps = kThreads / 32;
constexpr int kTables = 2 * ScanJob::kTables;
// Pictures fall into step within a few pieces, with subsampled chroma within 40; in a team, pieces are shorter. A
// crafted file must not keep the batch.
constexpr int kMaxRounds = 96;
constexpr unsigned kAll = 0xFFFFFFFF;
__device__ constexpr auto kOrder = make_natural_order();

/// Where the wanted blocks lie that are a certain one of their MCU. Divisions for every block took as long as decoding
/// it.
struct BlockPlace {
  uint32_t rows, columns;  // of wanted blocks; none: no rows
  int row, column;         // of the first MCU's, counted from the first wanted one
  int down, across;        // from MCU to MCU
  uint32_t before;         // wanted blocks of the components before
};

/// How a piece was left, and how many blocks ended in it. Both words begin with the number of pieces through which the
/// way to it led: who came from further up is nearer to the truth, and so the greater word stays. (With one word of 64
/// bits a file of the tests came out wrong: such maxima seemed to get lost between the thread blocks of a cluster.)
class Leaf {
 public:
  Leaf() = default;
  __device__ Leaf(const Cursor& at, uint32_t end, uint32_t rounds)
      : state_(rounds << 16 | (at.bit - end) << 10 | at.position << 4 | at.in_mcu), count_(rounds << 20 | at.blocks) {}
  __device__ uint32_t rounds() const { return state_ >> 16; }
  __device__ uint32_t blocks() const { return count_ & 0xFFFFF; }
  __device__ bool in_step_with(const Leaf& other) const { return (state_ & 0xFFFF) == (other.state_ & 0xFFFF); }
  /// Where one goes on who knows where the piece ends.
  __device__ Cursor after(uint32_t end) const {
    return {.bit = end + (state_ >> 10 & 63), .position = state_ >> 4 & 63, .in_mcu = state_ & 15};
  }
  /// Leaves the one to which the longer way led. @return what was there
  __device__ Leaf replace(const Leaf& by) {
    Leaf before;
    before.count_ = atomicMax(&count_, by.count_);
    before.state_ = atomicMax(&state_, by.state_);
    return before;
  }

 private:
  uint32_t state_, count_;
};
static_assert(kMaxMcuBlocks <= 16 && kMaxRounds * ScanJob::kMostTeam < 1 << 12);

struct Shared {
  uint32_t entries[kTables][EntryTable::kSize];
  uint32_t first_long[kTables];
  Leaf leaves[kThreads];
  uint32_t blocks_before[kThreads + 1];
  uint32_t warp_sums[kWarps];
  uint32_t blocks_of[ScanJob::kMostTeam];  // that end in the pieces of each thread block
  int dc_sums[ScanJob::kMaxPlanes][kWarps];
  bool dc_restarts[ScanJob::kMaxPlanes][kWarps];
  BlockPlace places[kMaxMcuBlocks];
  uint8_t order[80];
  bool lost;  // somebody did not fall into step
};

__device__ uint32_t big_endian(uint32_t word) { return __byte_perm(word, 0, 0x0123); }

/// Brings the thread block's part of the scan into its cache. 32 threads decode in 32 places: without this, one of them
/// waits for the second cache nearly every symbol, and the others with it.
__device__ void fetch_scan(const Team& team, const ScanJob& job) {
  constexpr uint32_t kMostWords = 36 << 10, kSector = 8;  // what the cache holds, and brings at a time, in words
  const uint32_t words = job.segments[job.segment_count - 1].end / 32, part = words / team.size() + kSector;
  if (part > kMostWords) return;
  const uint32_t begin = team.rank() * part, end = min(begin + part, words);
  uint32_t sum = 0;
#pragma unroll 4
  for (uint32_t i = begin + threadIdx.x * kSector; i < end; i += kThreads * kSector) sum ^= __ldg(job.words + i);
  asm volatile("" ::"r"(sum));  // somebody wants to know
}

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
  // In registers: looked up for every symbol.
  const uint32_t dc_tables = job.dc_tables, ac_tables = job.ac_tables, mcu_blocks = job.mcu_blocks;
  const uint32_t* words = job.words;
  const uint32_t long_dc[] = {shared.first_long[0], shared.first_long[1]};
  const uint32_t long_ac[] = {shared.first_long[2], shared.first_long[3]};
  uint32_t word = at.bit >> 5;
  // The word behind those in work is on its way: 3 to 14 % of all.
  uint32_t high = big_endian(__ldg(words + word)), low = big_endian(__ldg(words + word + 1));
  uint32_t next = __ldg(words + word + 2);
  while (at.bit < end) {
    const uint32_t bits = __funnelshift_l(low, high, at.bit & 31);
    const bool is_ac = at.position != 0, second = ((is_ac ? ac_tables : dc_tables) >> at.in_mcu & 1) != 0;
    const uint32_t first_long = is_ac ? second ? long_ac[1] : long_ac[0] : second ? long_dc[1] : long_dc[0];
    const uint32_t* entries = shared.entries[(is_ac ? ScanJob::kTables : 0) + (second ? 1 : 0)];
    const Entry entry{entries[EntryTable::index_of(bits >> 16, first_long)]};
    take(at, entry, bits);
    const bool done = at.pass(entry, mcu_blocks);
    if (done && end_block(at)) return;
    if (at.bit >> 5 != word) {  // by one: a symbol has 27 bits at most
      word = at.bit >> 5;
      high = low;
      low = big_endian(next);
      next = __ldg(words + word + 2);
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

/// Goes on into the pieces behind one's own, until in step with what was found there, or with one who came from further
/// up and goes on in one's place. Nobody waits for others: a barrier after each piece took as long as decoding it.
/// @return false where that takes too long
__device__ bool go_on(const Team& team, const ScanJob& job, const Piece& piece, Cursor at, Shared& shared) {
  const uint32_t t = team.rank() * kThreads + threadIdx.x;
  for (uint32_t round = 1; piece.number + round < piece.pieces; ++round) {
    if (round > kMaxRounds * team.size()) return false;
    const uint32_t end = piece.end_of(piece.number + round, job);
    at.blocks = 0;
    follow(at, end, job, shared);
    const Leaf mine(at, end, round);
    const Leaf before = team.at((t + round) / kThreads, &shared.leaves[(t + round) % kThreads])->replace(mine);
    if (before.rounds() > round || before.in_step_with(mine)) return true;
  }
  return true;
}

/// Leaves in `leaves` how each piece is left, and how many blocks end in it, by one who began it rightly.
/// @return false, for all threads, where that takes too long
__device__ bool fall_into_step(const Team& team, const ScanJob& job, const Piece& piece, bool mine, Shared& shared) {
  Cursor at{.bit = mine ? piece.begin(job) : 0};
  if (mine) {
    const uint32_t end = piece.end_of(piece.number, job);
    follow(at, end, job, shared);
    shared.leaves[threadIdx.x] = Leaf(at, end, 0);
  }
  if (threadIdx.x == 0) shared.lost = false;
  team.sync();
  if (mine && !go_on(team, job, piece, at, shared))
    for (uint32_t i = 0; i < team.size(); ++i) *team.at(i, &shared.lost) = true;
  team.sync();
  return !shared.lost;
}

/// blocks_before[t]: blocks of the file that end before piece t, all segments counted.
__device__ void sum_blocks(const Team& team, bool mine, Shared& shared) {
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  uint32_t sum = mine ? shared.leaves[t].blocks() : 0;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(kAll, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) shared.warp_sums[warp] = sum;
  __syncthreads();
  for (uint32_t w = 0; w < warp; ++w) sum += shared.warp_sums[w];
  if (t == kThreads - 1)
    for (uint32_t i = 0; i < team.size(); ++i) *team.at(i, &shared.blocks_of[team.rank()]) = sum;
  team.sync();
  uint32_t before = 0;
  for (uint32_t i = 0; i < team.rank(); ++i) before += shared.blocks_of[i];
  shared.blocks_before[t + 1] = before + sum;
  if (t == 0) shared.blocks_before[0] = before;
  team.sync();
}

__device__ BlockPlace place_in_mcu(const ScanJob& job, int in_mcu) {
  const int c = job.component_of[static_cast<size_t>(in_mcu)];
  if (c >= job.planes) return {};
  const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
  return {.rows = static_cast<uint32_t>(w.rows.end - w.rows.begin),
          .columns = static_cast<uint32_t>(w.columns.end - w.columns.begin),
          .row = (in_mcu - w.first) / w.plane.blocks - w.rows.begin,
          .column = (in_mcu - w.first) % w.plane.blocks - w.columns.begin,
          .down = w.plane.block_rows,
          .across = w.plane.blocks,
          .before = w.blocks_before};
}

/// An MCU of the file, on the way from one to the next.
struct Mcu {
  int row, column;

  __device__ Mcu(const ScanJob& job, uint32_t block)
      : row(static_cast<int>(block) / job.mcu_blocks / job.mcu_columns),
        column(static_cast<int>(block) / job.mcu_blocks % job.mcu_columns) {}
  __device__ void advance(int columns) {
    if (++column < columns) return;
    column = 0;
    ++row;
  }
  /// Where to put the coefficients of one of its blocks; null where they are not wanted.
  __device__ int16_t* coefficients_of(const BlockPlace& p, int16_t* first) const {
    const auto y = static_cast<uint32_t>(row * p.down + p.row), x = static_cast<uint32_t>(column * p.across + p.column);
    return y < p.rows && x < p.columns ? first + (size_t{p.before} + y * p.columns + x) * 64 : nullptr;
  }
};

/// Writes values from `at` up to `end`. `dc_of(value, in_mcu)` says what to write for a DC difference.
/// @return false where the bits are not as an encoder writes them
template <class DcOf>
__device__ bool write_values(Cursor& at, uint32_t end, const ScanJob& job, const Segment& segment, const Shared& shared,
                             DcOf&& dc_of) {
  bool good = true;
  Mcu mcu(job, segment.first_block + at.blocks);
  const int mcu_columns = job.mcu_columns;
  int16_t* coefficients = job.coefficients;
  int16_t* dc = job.dc + segment.first_block;
  int16_t* values = mcu.coefficients_of(shared.places[at.in_mcu], coefficients);
  const auto take = [&](const Cursor& now, Entry entry, uint32_t bits) {
    good &= !entry.none();
    const int value = value_of(bits << entry.code(), entry.size());
    if (now.position == 0)
      dc[now.blocks] = static_cast<int16_t>(dc_of(value, now.in_mcu));
    else if (entry.size() && values)
      __stcg(values + shared.order[now.position + entry.advance() - 1], static_cast<int16_t>(value));
  };
  const auto end_block = [&](const Cursor& now) {
    if (now.blocks == segment.blocks) {
      good &= now.bit <= segment.end;
      return true;
    }
    if (now.in_mcu == 0) mcu.advance(mcu_columns);
    values = mcu.coefficients_of(shared.places[now.in_mcu], coefficients);
    return false;
  };
  decode(at, end, job, shared, take, end_block);
  return good;
}

/// The values of a piece whose beginning those before it have found.
/// @return false where the bits are not as an encoder writes them
__device__ bool write_piece(const Team& team, const ScanJob& job, const Piece& piece, Shared& shared) {
  const uint32_t t = threadIdx.x;
  const Segment& segment = piece.segment;
  const auto leaf = [&](uint32_t i) { return *team.at(i / kThreads, &shared.leaves[i % kThreads]); };
  const uint32_t first = segment.first_piece, before = team.rank() * kThreads + t - 1;
  const uint32_t in_segments_before = *team.at(first / kThreads, &shared.blocks_before[first % kThreads]);
  Cursor at = piece.number > 0 ? leaf(before).after(piece.begin(job)) : Cursor{.bit = segment.begin};
  at.blocks = shared.blocks_before[t] - in_segments_before;
  bool good = piece.number + 1 < piece.pieces || shared.blocks_before[t + 1] - in_segments_before >= segment.blocks;
  if (at.blocks >= segment.blocks) return good;
  const auto difference = [](int value, uint32_t) { return value; };
  return write_values(at, piece.end_of(piece.number, job), job, segment, shared, difference) && good;
}

/// The values of a run, whose beginning is known, with the DC values before it.
/// @param segment a copy: what lies in memory is read anew after each store
/// @return false where the bits are not as an encoder writes them
__device__ bool write_run(const ScanJob& job, const Segment segment, const Shared& shared) {
  int dc[ScanJob::kMaxPlanes] = {segment.dc[0], segment.dc[1], segment.dc[2]};
  bool good = true;
  const auto sum = [&](int difference, uint32_t in_mcu) {
    const int component = job.component_of[in_mcu];
    int value = 0;
#pragma unroll
    for (int c = 0; c < ScanJob::kMaxPlanes; ++c)  // so that they stay in registers
      if (c == component) value = dc[c] += difference;
    good &= value == static_cast<int16_t>(value);
    return value;
  };
  Cursor at{.bit = segment.begin};
  good &= write_values(at, segment.end, job, segment, shared, sum);
  return good && at.blocks == segment.blocks;
}

/// Runs are fewer than threads, often: they are spread over the thread blocks, and over the warps of each.
__device__ bool write_own_run(const Team& team, const ScanJob& job, const Shared& shared) {
  const uint32_t share = (job.pieces + team.size() - 1) / team.size(), apart = max(kThreads / share, 1U);
  const uint32_t own = threadIdx.x / apart, run = team.rank() * share + own;
  if (threadIdx.x % apart != 0 || own >= share || run >= job.pieces) return true;
  return write_run(job, job.segments[run], shared);
}

/// DC differences to DC values; the thread blocks of a team share the components.
__device__ bool sum_dc(const Team& team, const ScanJob& job, Shared& shared) {
  const uint32_t warp = threadIdx.x / 32;
  const auto planes = static_cast<uint32_t>(job.planes);
  for (uint32_t c = team.rank(); c < planes; c += team.size())
    sum_stretch(DcRow(job, job.wanted[c]), shared.dc_sums[c][warp], shared.dc_restarts[c][warp]);
  __syncthreads();
  bool good = true;
  for (uint32_t c = team.rank(); c < planes; c += team.size()) {
    int sum = 0;
    for (uint32_t w = warp; w-- > 0;) {
      sum += shared.dc_sums[c][w];
      if (shared.dc_restarts[c][w]) break;
    }
    good &= add_up_stretch(DcRow(job, job.wanted[c]), sum);
  }
  return good;
}

__device__ void clear_coefficients(const Team& team, uint4* coefficients, size_t count) {
  for (size_t i = team.rank() * kThreads + threadIdx.x; i < count; i += team.size() * kThreads)
    coefficients[i] = uint4{};
}

__global__ void __launch_bounds__(kThreads) entropy_kernel(const ScanJob* jobs) {
  extern __shared__ uint4 memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  __shared__ ScanJob job;
  const Team team;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + team.number())[i];
  if (threadIdx.x < sizeof(shared.order)) shared.order[threadIdx.x] = kOrder[threadIdx.x];
  __syncthreads();
  if (job.pieces == 0) return;
  fetch_scan(team, job);
  if (threadIdx.x < static_cast<unsigned>(job.mcu_blocks))
    shared.places[threadIdx.x] = place_in_mcu(job, static_cast<int>(threadIdx.x));
  build_tables(shared, job);
  const uint32_t t = team.rank() * kThreads + threadIdx.x;
  clear_coefficients(team, reinterpret_cast<uint4*>(job.coefficients), size_t{job.wanted_blocks} * 8);
  __syncthreads();
  const bool mine = t < job.pieces;
  if (job.runs) {
    team.sync();  // coefficients are clear
    if (!write_own_run(team, job, shared)) *job.refused = 1;
    return;
  }
  const Piece piece = mine ? find_piece(job, t) : Piece{};
  bool good = fall_into_step(team, job, piece, mine, shared);
  if (good) {  // for all threads or for none
    sum_blocks(team, mine, shared);
    if (mine) good = write_piece(team, job, piece, shared);
    team.sync();
    good &= sum_dc(team, job, shared);
  }
  if (!good) *job.refused = 1;
  team.sync();  // others may look into this thread block's memory until then
}
static_assert(sizeof(ScanJob) % sizeof(uint32_t) == 0);
static_assert(ScanJob::kTables == 2);

}  // namespace

void decode_jpeg_entropy(cudaStream_t stream, const ScanJob* jobs, int count) {
  if (!count) return;
  // More than kernels get without asking.
  check(cudaFuncSetAttribute(entropy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)),
        "cudaFuncSetAttribute");
  // Room for two thread blocks; the rest is cache for their scans, which coefficients do not pass: 1 to 2 %.
  check(cudaFuncSetAttribute(entropy_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 40),
        "cudaFuncSetAttribute");
  int device = 0, capability = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  const auto team = static_cast<unsigned>(capability >= 9 ? ScanJob::team_for(count) : 1);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {team, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(count) * team);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = sizeof(Shared);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = team > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, entropy_kernel, jobs), "decoding a batch of JPEG files");
}

}  // namespace penstock::cuda
