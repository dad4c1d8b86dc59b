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

namespace nb = nanobind;

namespace penstock::bindings {
namespace {

using device::kMostReplicas;
using device::RealType;
using device::RenewJob;
using device::TotalJob;

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

/// Address, its shadow's (0: none), its copies', bytes.
using RenewRow = std::tuple<uintptr_t, uintptr_t, std::vector<uintptr_t>, uint64_t>;

nb::tuple renew_table(const std::vector<RenewRow>& rows) {
  std::vector<RenewJob> jobs;
  for (const auto& [from, shadow, to, bytes] : rows) {
    check_count(to.size());
    for (uint64_t begin = 0; begin < bytes; begin += kBytesPerBlock) {
      RenewJob& job = jobs.emplace_back();
      job.from = at(from, begin);
      job.shadow = at(shadow, begin);
      std::ranges::transform(to, job.to, [&](uintptr_t one) { return at(one, begin); });
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

device::Backend& backend(int gpu) { return device::Device::open(gpu).backend(); }

}  // namespace

void bind_replicas(nb::module_& m) {
  using namespace nb::literals;
  m.def("split_sizes", &split_sizes, "rows"_a, "devices"_a, "split"_a, "Rows of each part; see penstock/parallel.h.");
  m.def("renew_table", &renew_table, "rows"_a,
        "(bytes, jobs) for `renew`, of (address, address of its shadow or 0, addresses of its copies, bytes).");
  m.def("total_table", &total_table, "rows"_a,
        "(bytes, jobs) for `total`, of (addresses of addends, offset of the sum, elements, 0 to 3 for float32, "
        "float64, float16 and bfloat16, bytes of an element).");
  m.def(
      "renew",
      [](int gpu, uintptr_t stream, uintptr_t table, int jobs) {
        backend(gpu).renew(at(stream), static_cast<const RenewJob*>(at(table)), jobs);
      },
      "gpu"_a, "stream"_a, "table"_a, "jobs"_a,
      "Queues on a stream: copies are written where their originals differ from their shadows.");
  m.def(
      "total",
      [](int gpu, uintptr_t stream, uintptr_t table, int jobs, uintptr_t to) {
        backend(gpu).total(at(stream), static_cast<const TotalJob*>(at(table)), jobs, at(to));
      },
      "gpu"_a, "stream"_a, "table"_a, "jobs"_a, "to"_a, "Queues on a stream: sums are written behind `to`.");
}

}  // namespace penstock::bindings
