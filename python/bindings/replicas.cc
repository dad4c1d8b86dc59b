#include "replicas.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <penstock/parallel.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "core/check.h"
#include "device/device.h"
#include "kernels/replicas/job.h"
#include "parallel/launch_sequence.h"

namespace nb = nanobind;

namespace penstock::bindings {
namespace {

using kernels::kMostReplicas;
using kernels::RealType;
using kernels::RenewJob;
using kernels::TotalJob;

constexpr uint64_t kBytesPerBlock = 64 << 10;

void* at(uintptr_t address) { return reinterpret_cast<void*>(address); }
void* at(uintptr_t address, uint64_t offset) { return address ? at(address + offset) : nullptr; }

void check_count(size_t devices) {
  PENSTOCK_CHECK(devices <= kMostReplicas, ArgumentError, "at most {} devices, got {}", kMostReplicas, devices);
}

template <class Job>
nb::tuple table_of(const std::vector<Job>& jobs) {
  const auto bytes = std::as_bytes(std::span(jobs));
  return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), jobs.size());
}

/// Address and its base (0: none), its checksums' (0: none), its copies' and their base, bytes.
using RenewRow = std::tuple<uintptr_t, int, uintptr_t, std::vector<uintptr_t>, int, uint64_t>;

void check_base(int base) {
  PENSTOCK_CHECK(base >= 0 && base < kernels::kMostBases, ArgumentError, "at most {} bases, got number {}",
                 kernels::kMostBases - 1, base);
}

nb::tuple renew_table(const std::vector<RenewRow>& rows) {
  std::vector<RenewJob> jobs;
  for (const auto& [from, from_base, checksums, to, to_base, bytes] : rows) {
    check_count(to.size());
    check_base(from_base);
    check_base(to_base);
    for (uint64_t begin = 0; begin < bytes; begin += kBytesPerBlock) {
      RenewJob& job = jobs.emplace_back();
      job.from = at(from + begin);
      job.checksum = static_cast<uint64_t*>(at(checksums, begin / kBytesPerBlock * sizeof(uint64_t)));
      std::ranges::transform(to, job.to, [&](uintptr_t one) { return at(one + begin); });
      job.from_base = static_cast<uint32_t>(from_base);
      job.to_base = static_cast<uint32_t>(to_base);
      job.copies = static_cast<uint32_t>(to.size());
      job.bytes = static_cast<uint32_t>(std::min(kBytesPerBlock, bytes - begin));
    }
  }
  return table_of(jobs);
}

/// Addresses of the addends, offset of the sum, elements, element type, bytes of an element.
using TotalRow = std::tuple<std::vector<uintptr_t>, uint64_t, uint64_t, uint32_t, uint32_t>;

nb::tuple total_table(const std::vector<TotalRow>& rows) {
  std::vector<TotalJob> jobs;
  for (const auto& [from, to, elements, type, size] : rows) {
    check_count(from.size());
    const uint64_t step = kBytesPerBlock / size;
    for (uint64_t begin = 0; begin < elements; begin += step) {
      TotalJob& job = jobs.emplace_back();
      std::ranges::transform(from, job.from, [&](uintptr_t one) { return at(one, begin * size); });
      job.to = to + begin * size;
      job.addends = static_cast<uint32_t>(from.size());
      job.elements = static_cast<uint32_t>(std::min(step, elements - begin));
      job.type = static_cast<RealType>(type);
    }
  }
  return table_of(jobs);
}

/// Address or distance from a base, address of its copy, bytes.
using CopyRow = std::tuple<uintptr_t, uintptr_t, uint64_t>;

nb::tuple copy_table(const std::vector<CopyRow>& rows) {
  std::vector<device::CopyJob> jobs;
  for (const auto& [from, to, bytes] : rows) jobs.push_back({.from = at(from), .to = at(to), .bytes = bytes});
  return table_of(jobs);
}

using SplitRule = std::variant<std::string, std::vector<double>>;

std::vector<int64_t> split_sizes(int64_t rows, int devices, const SplitRule& rule) {
  using parallel::Split;
  if (const auto* weights = std::get_if<std::vector<double>>(&rule))
    return parallel::split_sizes(rows, devices, {.kind = Split::Kind::kWeights, .weights = *weights});
  const auto& name = std::get<std::string>(rule);
  PENSTOCK_CHECK(name == "chunk" || name == "even", ArgumentError,
                 "split is \"auto\", \"chunk\", \"even\" or a weight for each device, got \"{}\"", name);
  return parallel::split_sizes(rows, devices, {.kind = name == "even" ? Split::Kind::kEven : Split::Kind::kChunk});
}

device::Runtime& runtime_of(int gpu) { return device::Device::open(gpu).runtime(); }

using parallel::Node;
/// Kind, place of the GPU in the sequence, address, jobs, base.
using NodeTuple = std::tuple<int, int, uintptr_t, int, int>;

void make_launch_sequence(parallel::LaunchSequence* self, const std::vector<int>& gpus,
                          const std::vector<NodeTuple>& given) {
  std::vector<device::Runtime*> runtimes;
  for (int gpu : gpus) runtimes.push_back(&runtime_of(gpu));
  std::vector<Node> nodes;
  for (const auto& [kind, gpu, address, jobs, base] : given)
    nodes.push_back(
        {.kind = static_cast<Node::Kind>(kind), .gpu = gpu, .address = at(address), .jobs = jobs, .base = base});
  new (self) parallel::LaunchSequence(std::move(runtimes), std::move(nodes));
}

void replay_launch_sequence(parallel::LaunchSequence& sequence, const std::vector<uintptr_t>& streams,
                            const std::vector<uintptr_t>& bases) {
  std::vector<device::Stream> queues(streams.size());
  std::ranges::transform(streams, queues.begin(), [](uintptr_t one) { return at(one); });
  std::vector<void*> addresses(bases.size());
  std::ranges::transform(bases, addresses.begin(), [](uintptr_t one) { return at(one); });
  const nb::gil_scoped_release others_may_run;  // a full queue makes the host wait
  sequence.replay(queues, addresses);
}

}  // namespace

void bind_replicas(nb::module_& m) {
  using namespace nb::literals;
  m.def("split_sizes", &split_sizes, "rows"_a, "devices"_a, "split"_a, "Rows of each part; see penstock/parallel.h.");
  m.attr("RENEWED_AT_ONCE") = kBytesPerBlock;
  m.def("renew_table", &renew_table, "rows"_a,
        "(bytes, jobs) for `renew`, of (address, its base, address of its checksums or 0, addresses of its copies, "
        "their base, bytes). There is a checksum of 8 bytes for each RENEWED_AT_ONCE bytes, or less at the end. With a "
        "base, a number from 1 on, addresses are bytes from what a sequence is given for it.");
  m.def("total_table", &total_table, "rows"_a,
        "(bytes, jobs) for `total`, of (addresses of addends, offset of the sum, elements, 0 to 3 for float32, "
        "float64, float16 and bfloat16, bytes of an element).");
  m.def("copy_table", &copy_table, "rows"_a,
        "(bytes, jobs) for what a sequence sends, of (address, or bytes from what the sequence is given for the node's "
        "base, "
        "address of the copy, bytes). It stays in host memory.");
  m.def(
      "renew",
      [](int gpu, uintptr_t stream, uintptr_t table, int jobs) {
        const auto renew = device::find(runtime_of(gpu), kernels::kRenew);
        renew({.stream = at(stream), .jobs = static_cast<const RenewJob*>(at(table)), .count = jobs});
      },
      "gpu"_a, "stream"_a, "table"_a, "jobs"_a,
      "Queues on a stream: copies are written where their originals have other checksums than those noted.");
  m.def(
      "total",
      [](int gpu, uintptr_t stream, uintptr_t table, int jobs, uintptr_t to) {
        const auto total = device::find(runtime_of(gpu), kernels::kTotal);
        total({.stream = at(stream),
               .jobs = static_cast<const TotalJob*>(at(table)),
               .count = jobs,
               .parameters = {.base = at(to)}});
      },
      "gpu"_a, "stream"_a, "table"_a, "jobs"_a, "to"_a, "Queues on a stream: sums are written behind `to`.");
  m.def(
      "copy",
      [](int gpu, uintptr_t stream, uintptr_t to, uintptr_t from, size_t bytes) {
        runtime_of(gpu).copy(at(stream), at(to), at(from), bytes);
      },
      "gpu"_a, "stream"_a, "to"_a, "from"_a, "bytes"_a, "Queues on a stream: a copy engine moves bytes between GPUs.");
  nb::class_<parallel::LaunchSequence>(
      m, "LaunchSequence",
      "Launches on several GPUs, written down once: (kind, place of the GPU, address, jobs, "
      "base). Kinds are 0 to 6: the first GPU waits for the others, these wait for it, "
      "`renew`, `total`, a CUDA graph, copies that are sent, all wait for what was sent.")
      .def("__init__", &make_launch_sequence, "gpus"_a, "nodes"_a)
      .def("replay", &replay_launch_sequence, "streams"_a, "bases"_a,
           "Queues all of them on these streams, one a GPU; `bases` are addresses, from number 1 on.");
}

}  // namespace penstock::bindings
