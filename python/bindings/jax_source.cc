#include "jax_source.h"

// XLA's headers come with the jaxlib that the build environment has; without it Python finds no handler and says so.
#if __has_include(<xla/ffi/api/ffi.h>)

#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <xla/ffi/api/ffi.h>

#include "core/check.h"
#include "device/transfer.h"
#include "gpu.h"
#include "ops/generic/callback.h"

namespace penstock::bindings {
namespace {

namespace ffi = xla::ffi;

constexpr int32_t kNotYetSeen = std::numeric_limits<int32_t>::min();

using Ticket = ffi::Buffer<ffi::S32>;
using Copy = std::function<void(void* to, const std::byte* from, size_t bytes, const Buffer& block)>;

/// Calls the function of the program with that number: it gives one batch for each result, or an empty list that leaves
/// it as it is.
void pull(int64_t function, BatchContext batch, ffi::RemainingRets results, const Copy& copy) {
  (*find_callback(function))(batch);
  PENSTOCK_CHECK(batch.outputs.size() == results.size(), DataError, "there are {} results, the program takes {}",
                 batch.outputs.size(), results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorList& list = batch.outputs[i];
    if (list.dtype() == DType::kNone) continue;
    const ffi::AnyBuffer to = *results.get<ffi::AnyBuffer>(i).value();
    size_t bytes = 0;
    for (int64_t s = 0; s < list.size(); ++s) bytes += list[s].nbytes();
    PENSTOCK_CHECK(bytes == to.size_bytes(), DataError, "result {} has {} bytes, the compiled program takes {}", i,
                   bytes, to.size_bytes());
    auto* out = static_cast<std::byte*>(to.untyped_data());
    if (list.contiguous()) {
      if (bytes) copy(out, list[0].data, bytes, list.at(0).buffer);
      continue;
    }
    for (int64_t s = 0; s < list.size(); out += list[s++].nbytes())
      if (list[s].nbytes()) copy(out, list[s].data, list[s].nbytes(), list.at(s).buffer);
  }
}

ffi::Error reported(const std::function<void()>& work) {
  try {
    work();
    return ffi::Error::Success();
  } catch (const std::exception& e) {
    return ffi::Error::Internal(e.what());
  }
}

Tensor ticket_at(Buffer block, std::byte* place) {
  return {std::move(block), {{DType::kInt32, Shape{}, Layout{}}, place}, {}};
}

void pull(int64_t function, Tensor ticket, ffi::RemainingRets results, const Copy& copy) {
  const TensorList given({std::move(ticket)});
  BatchContext batch;
  batch.inputs.push_back(&given);
  pull(function, std::move(batch), results, copy);
}

/// Copies in the order of the program's stream: nobody waits, and what has been read is known to whoever writes next.
Copy on_stream(device::Device& gpu, void* stream) {
  return [&gpu, stream](void* to, const std::byte* from, size_t bytes, const Buffer& block) {
    if (block.device != kHostMemory || block.pinned) {
      device::block_of(block).read_on(stream);
      return gpu.backend().copy(stream, to, from, bytes);
    }
    // Somebody else may have pinned the memory: then the copy would begin when the batch is gone.
    const Buffer own = gpu.pinned().allocate(bytes, stream);
    std::memcpy(own.data, from, bytes);
    device::block_of(own).read_on(stream);
    gpu.backend().copy(stream, to, own.data, bytes);
  };
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
    gpu.backend().copy(stream, seen.data, ticket.untyped_data(), sizeof(int32_t));
    pull(function, ticket_at(seen, seen.data), results, on_stream(gpu, stream));
  });
}

/// Where a result lies, for memory that is lent.
struct Room {
  void* data = nullptr;
  size_t bytes = 0;
  void* stream = nullptr;
};

/// What a program without arguments wants on one GPU.
struct Wish {
  int gpu = 0;
  std::vector<Room> results;
};

/// What a GPU gets of one run: a batch for each result, or none. Then the result is left as it is.
class Delivery {
 public:
  explicit Delivery(const nb::sequence& outputs) {
    for (nb::handle output : outputs) batches_.push_back(output.is_none() ? TensorList() : list_of(output));
  }
  std::vector<TensorList> take(std::vector<Room> results) {
    const std::lock_guard lock(mutex_);
    results_ = std::move(results);
    return std::exchange(batches_, {});
  }
  /// None before the program has come to it.
  nb::list results() const {
    const std::lock_guard lock(mutex_);
    nb::list all;
    for (const Room& room : results_)
      all.append(
          nb::make_tuple(reinterpret_cast<uintptr_t>(room.data), room.bytes, reinterpret_cast<uintptr_t>(room.stream)));
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<TensorList> batches_;
  std::vector<Room> results_;
};

/// Deliveries on their way into programs without arguments: each GPU takes its own, in the order in which they came
/// here.
class Shelf {
 public:
  Shelf() {
    number_ = keep_callback([kept = kept_](BatchContext& batch) {
      const auto& wish = *reinterpret_cast<const Wish*>((*batch.inputs.front())[0].data);
      const std::lock_guard lock(kept->mutex);
      auto& deliveries = kept->of_gpu[wish.gpu];
      PENSTOCK_CHECK(!deliveries.empty(), InternalError, "no batch waits for the program on GPU {}", wish.gpu);
      batch.outputs = deliveries.front()->take(wish.results);
      deliveries.pop_front();
    });
  }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  ~Shelf() { release_callback(number_); }
  int64_t number() const { return number_; }
  std::shared_ptr<Delivery> put(int gpu, const nb::sequence& outputs) {
    auto delivery = std::make_shared<Delivery>(outputs);
    const std::lock_guard lock(kept_->mutex);
    kept_->of_gpu[gpu].push_back(delivery);
    return delivery;
  }
  void clear() {
    const std::lock_guard lock(kept_->mutex);
    kept_->of_gpu.clear();
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::map<int, std::deque<std::shared_ptr<Delivery>>> of_gpu;
  };
  const std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  int64_t number_ = 0;
};

ffi::Error take_on_gpu(void* stream, int32_t id, int64_t function, ffi::RemainingRets results) {
  return reported([&] {
    Wish wish{.gpu = id};
    for (size_t i = 0; i < results.size(); ++i) {
      const ffi::AnyBuffer to = *results.get<ffi::AnyBuffer>(i).value();
      wish.results.push_back({to.untyped_data(), to.size_bytes(), stream});
    }
    pull(function, ticket_at({}, reinterpret_cast<std::byte*>(&wish)), results,
         on_stream(device::Device::open(id), stream));
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
XLA_FFI_DEFINE_HANDLER(kTakeOnGpu, take_on_gpu,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Attr<int64_t>("function")
                           .RemainingRets());

template <class Handler>
nb::capsule capsule_of(Handler* handler) {
  return nb::capsule(reinterpret_cast<void*>(handler));
}

}  // namespace

void bind_jax_source(nb::module_& m) {
  using namespace nb::literals;
  m.def("jax_source_handler", [](bool gpu) { return capsule_of(gpu ? kPullOnGpu : kPullOnHost); });
  m.def("jax_take_handler", [] { return capsule_of(kTakeOnGpu); });
  nb::class_<Delivery>(m, "JaxDelivery", "What a GPU gets of one run of such a program.")
      .def_prop_ro("results", &Delivery::results,
                   "Address, bytes and stream of each result; nothing before the program has come to it.");
  nb::class_<Shelf>(m, "JaxShelf", "Batches on their way into programs without arguments.")
      .def(nb::init<>())
      .def_prop_ro("number", &Shelf::number, "Of the function that such programs call.")
      .def("put", &Shelf::put, "gpu"_a, "outputs"_a,
           "Gives one batch for each result, or None, to the next program that is launched on that GPU.")
      .def("clear", &Shelf::clear, "Takes back what no program has taken.");
  m.attr("TICKET_NOT_YET_SEEN") = kNotYetSeen;
  m.attr("XLA_FFI_VERSION") = nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
}

}  // namespace penstock::bindings

#else

namespace penstock::bindings {

void bind_jax_source(nb::module_&) {}

}  // namespace penstock::bindings

#endif
