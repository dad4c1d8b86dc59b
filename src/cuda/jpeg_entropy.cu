// Entropy decoding of a batch of scans, a thread block each, or several where there are few scans; see
// codec/jpeg/pieces.h for the idea. Each thread takes a piece: it decodes it from its first bit, then goes on into the
// next ones until it is in step with somebody; a sum over the pieces says who was right, another one where their blocks
// lie; a last pass writes values. Where checkpoints say how pieces begin, which are runs then, the last pass is all.
#include <cstdint>

#include "codec/jpeg/scan_job.h"
#include "cuda/check.h"
#include "cuda/jpeg_dc.cuh"
#include "cuda/jpeg_step.cuh"
#include "cuda/jpeg_symbols.cuh"
#include "cuda/jpeg_values.cuh"
#include "cuda/jpeg_way.cuh"
#include "cuda/kernels.h"
#include "cuda/team.cuh"

namespace penstock::cuda {
namespace {

constexpr int kThreads = kScanThreads, kWarps = kScanWarps;
__device__ constexpr auto kOrder = codec::jpeg::make_natural_order();

struct Shared {
  SymbolTables tables;
  Way way;
  int dc_sums[ScanJob::kMaxPlanes][kWarps];
  bool dc_restarts[ScanJob::kMaxPlanes][kWarps];
  Targets targets;

  /// For how many thread blocks share a scan; a thread block's nodes lie behind it.
  static constexpr size_t bytes(uint32_t team) { return sizeof(Shared) + Nodes::most(team) * kThreads * sizeof(Node); }
};
// What a thread block may have at most, where GPUs have no clusters and where they do, less what is not asked for.
constexpr size_t kOthers = 3 << 10;
static_assert(Shared::bytes(1) <= (64 << 10) - kOthers && Shared::bytes(2) <= (99 << 10) - kOthers);

/// Thread blocks that may share a scan on this GPU.
int team_for(int scans) {
  int device = 0, capability = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  return capability >= 9 ? ScanJob::team_for(scans) : 1;
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
  copy_words(job, jobs + team.number());
  if (threadIdx.x < sizeof(shared.targets.order)) shared.targets.order[threadIdx.x] = kOrder[threadIdx.x];
  __syncthreads();
  if (job.pieces == 0) return;
  fetch_scan(team, job);
  if (threadIdx.x < static_cast<unsigned>(job.mcu_blocks))
    shared.targets.places[threadIdx.x] = place_in_mcu(job, static_cast<int>(threadIdx.x));
  __shared__ OrderedCodes codes;
  copy_words(codes, reinterpret_cast<const OrderedCodes*>(job.codes));
  __syncthreads();
  if (job.runs)
    build_tables<Use::kTake>(shared.tables, codes, job);
  else
    build_tables<Use::kPass>(shared.tables, codes, job);
  const uint32_t t = team.rank() * kThreads + threadIdx.x;
  clear_coefficients(team, reinterpret_cast<uint4*>(job.coefficients), size_t{job.wanted_blocks} * 8);
  __syncthreads();
  const bool mine = t < job.pieces;
  if (job.runs) {
    team.sync();  // coefficients are clear
    if (!write_own_run(team, job, shared.tables, shared.targets)) *job.refused = 1;
    return;
  }
  const Piece piece = mine ? find_piece(job, t) : Piece{};
  const Nodes nodes(team, reinterpret_cast<Node*>(&shared + 1));
  const uint32_t blocks = fall_into_step(team, job, piece, mine, shared.tables, nodes);
  const Start start = find_start(team, job, piece, mine, blocks, nodes, shared.way);
  build_tables<Use::kTake>(shared.tables, codes, job);
  sum_blocks(team, start.blocks, shared.way);
  bool good = start.known || !mine;
  if (start.known) good = write_piece(team, job, piece, start, shared.tables, shared.targets, shared.way);
  team.sync();
  good &= sum_dc(team, job, shared);
  if (!good) *job.refused = 1;
  team.sync();  // others may look into this thread block's memory until then
}

}  // namespace

void prepare_jpeg_entropy() {
  // More than kernels get without asking.
  const auto memory = static_cast<int>(Shared::bytes(static_cast<uint32_t>(team_for(1))));
  check(cudaFuncSetAttribute(entropy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory),
        "cudaFuncSetAttribute");
  // Room for two thread blocks (compute capability 9.0); the rest is cache for their scans, which coefficients do not
  // pass: 1 to 2 %.
  check(cudaFuncSetAttribute(entropy_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 55),
        "cudaFuncSetAttribute");
}

void decode_jpeg_entropy(cudaStream_t stream, const ScanJob* jobs, int count) {
  if (!count) return;
  const auto team = static_cast<unsigned>(team_for(count));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {team, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(count) * team);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = Shared::bytes(team);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = team > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, entropy_kernel, jobs), "decoding a batch of JPEG files");
}

}  // namespace penstock::cuda
