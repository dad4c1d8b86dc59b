#include "jax_mailbox.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <nanobind/stl/shared_ptr.h>

#include "core/check.h"
#include "gpu.h"
#include "jax_results.h"
#include "ops/host/callback.h"

namespace penstock::bindings {
namespace {

/// Where a result lies, for memory that is lent.
struct OutputBuffer {
  void* data = nullptr;
  size_t bytes = 0;
  void* stream = nullptr;
};

/// What a program without arguments wants on one GPU.
struct Request {
  int gpu = 0;
  std::vector<OutputBuffer> results;
};

/// What a GPU gets of one run: a batch for each result, or none. Then the result is left as it is.
class Delivery {
 public:
  explicit Delivery(const nb::sequence& outputs) {
    for (nb::handle output : outputs) batches_.push_back(output.is_none() ? TensorList() : list_of(output));
  }
  std::vector<TensorList> take(std::vector<OutputBuffer> results) {
    const std::lock_guard lock(mutex_);
    results_ = std::move(results);
    return std::exchange(batches_, {});
  }
  /// Empty before the program has come to it.
  nb::list results() const {
    const std::lock_guard lock(mutex_);
    nb::list all;
    for (const OutputBuffer& buffer : results_)
      all.append(nb::make_tuple(reinterpret_cast<uintptr_t>(buffer.data), buffer.bytes,
                                reinterpret_cast<uintptr_t>(buffer.stream)));
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<TensorList> batches_;
  std::vector<OutputBuffer> results_;
};

/// Deliveries on their way into programs without arguments: each GPU takes its own, in the order in which they came
/// here.
class Mailbox {
 public:
  Mailbox() {
    number_ = keep_callback([kept = kept_](BatchContext& batch) {
      const auto& request = *reinterpret_cast<const Request*>((*batch.inputs.front())[0].data);
      const std::lock_guard lock(kept->mutex);
      auto& deliveries = kept->of_gpu[request.gpu];
      PENSTOCK_CHECK(!deliveries.empty(), InternalError, "no batch waits for the program on GPU {}", request.gpu);
      batch.outputs = deliveries.front()->take(request.results);
      deliveries.pop_front();
    });
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() { release_callback(number_); }
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
    Request request{.gpu = id};
    for (size_t i = 0; i < results.size(); ++i) {
      const ffi::AnyBuffer to = *results.get<ffi::AnyBuffer>(i).value();
      request.results.push_back({to.untyped_data(), to.size_bytes(), stream});
    }
    TensorView told;
    told.data = reinterpret_cast<std::byte*>(&request);
    pull(function, {{}, told, {}}, results, on_stream(device::Device::open(id), stream));
  });
}

XLA_FFI_DEFINE_HANDLER(kTakeOnGpu, take_on_gpu,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Attr<int64_t>("function")
                           .RemainingRets());

}  // namespace

void bind_jax_mailbox(nb::module_& m) {
  using namespace nb::literals;
  m.def("jax_take_handler", [] { return capsule_of(kTakeOnGpu); });
  nb::class_<Delivery>(m, "JaxDelivery", "What a GPU gets of one run of such a program.")
      .def_prop_ro("results", &Delivery::results,
                   "Address, bytes and stream of each result; nothing before the program has come to it.");
  nb::class_<Mailbox>(m, "JaxMailbox", "Batches on their way into programs without arguments.")
      .def(nb::init<>())
      .def_prop_ro("number", &Mailbox::number, "Of the function that such programs call.")
      .def("put", &Mailbox::put, "gpu"_a, "outputs"_a,
           "Gives one batch for each result, or None, to the next program that is launched on that GPU.")
      .def("clear", &Mailbox::clear, "Takes back what no program has taken.");
}

}  // namespace penstock::bindings
