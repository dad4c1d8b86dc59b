#include "jax_source.h"

#include <cstring>
#include <limits>
#include <utility>

#include "core/check.h"
#include "jax_results.h"

namespace penstock::bindings {
namespace {

constexpr int32_t kNotYetSeen = std::numeric_limits<int32_t>::min();

using Ticket = ffi::Buffer<ffi::S32>;

Tensor ticket_at(Buffer block, std::byte* place) {
  return {std::move(block), {{DType::kInt32, Shape{}, Layout{}}, place}, {}};
}

ffi::Error pull_on_host(int64_t function, Ticket ticket, ffi::RemainingRets results) {
  return reported([&] {
    int32_t number = *ticket.typed_data();
    pull(function, ticket_at({}, reinterpret_cast<std::byte*>(&number)), results,
         [](void* to, const std::byte* from, size_t bytes, const Buffer& block) {
           PENSTOCK_CHECK(block.device == kHostMemory, DataError,
                          "the program runs on the CPU, the batch is in the memory of GPU {}: leave out .gpu() and "
                          "device=\"gpu\"",
                          block.device);
           std::memcpy(to, from, bytes);
         });
  });
}

/// All is queued on the program's stream, and the host waits for nothing: what the ticket was is seen later.
ffi::Error pull_on_gpu(void* stream, int32_t id, int64_t function, Ticket ticket, ffi::RemainingRets results) {
  return reported([&] {
    device::Device& gpu = device::Device::open(id);
    const Buffer seen = gpu.pinned().allocate(sizeof(int32_t), stream);
    *reinterpret_cast<int32_t*>(seen.data) = kNotYetSeen;
    gpu.runtime().copy(stream, seen.data, ticket.untyped_data(), sizeof(int32_t));
    pull(function, ticket_at(seen, seen.data), results, on_stream(gpu, stream));
  });
}

XLA_FFI_DEFINE_HANDLER(kPullOnHost, pull_on_host,
                       ffi::Ffi::Bind().Attr<int64_t>("function").Arg<Ticket>().RemainingRets());
XLA_FFI_DEFINE_HANDLER(kPullOnGpu, pull_on_gpu,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Attr<int64_t>("function")
                           .Arg<Ticket>()
                           .RemainingRets());

}  // namespace

void bind_jax_source(nb::module_& m) {
  using namespace nb::literals;
  m.def("jax_source_handler", [](bool gpu) { return capsule_of(gpu ? kPullOnGpu : kPullOnHost); });
  m.attr("TICKET_NOT_YET_SEEN") = kNotYetSeen;
  m.attr("XLA_FFI_VERSION") = nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
}

}  // namespace penstock::bindings
