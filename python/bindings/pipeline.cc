#include "pipeline.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <penstock/pipeline.h>

#include <memory>
#include <utility>

#include "arrays.h"
#include "core/check.h"
#include "core/worker_pool.h"
#include "gpu.h"
#include "text.h"

namespace penstock::bindings {
namespace {

/// How often a waiting main thread looks whether the user pressed Ctrl-C.
constexpr std::chrono::milliseconds kSignalInterval{50};

/// Pipelines that were let go on a worker: where the garbage collector runs in a function that a pipeline calls, it may
/// end one whose batch that worker is about to make, for which the end would wait. They wait here for the main thread.
/// Guarded by the GIL.
std::vector<std::shared_ptr<Pipeline>>& abandoned() {
  static auto* all =
      new std::vector<std::shared_ptr<Pipeline>>;  // never destroyed: when the process ends, workers are gone
  return *all;
}

int end_abandoned(void* = nullptr) {
  auto mine = std::exchange(abandoned(), {});
  const nb::gil_scoped_release released;
  mine.clear();
  return 0;
}

/// A pipeline that is built, run and ended with the GIL released: its workers may need the GIL to get done. A
/// caller shares ownership during a call: another thread may close it meanwhile.
class Engine {
 public:
  Engine(const Graph& graph, const PipelineOptions& options) : raises_(options.on_error == OnError::kRaise) {
    if (!WorkerPool::on_worker()) end_abandoned();  // whose call was lost where too many were pending
    const nb::gil_scoped_release released;
    pipeline_ = std::make_shared<Pipeline>(graph, options);
  }
  ~Engine() {
    if (pipeline_ && WorkerPool::on_worker()) {
      abandoned().push_back(std::move(pipeline_));
      Py_AddPendingCall(&end_abandoned, nullptr);
    } else {
      const nb::gil_scoped_release released;
      pipeline_.reset();
    }
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Waits for what runs. Ctrl-C gives that up: a function of the program may never return.
  void close() {
    std::shared_ptr<Pipeline> closed = std::exchange(pipeline_, nullptr);
    for (bool ended = !closed; !ended;) {
      {
        const nb::gil_scoped_release released;
        ended = closed->drop_for(kSignalInterval);
      }
      if (!ended && PyErr_CheckSignals()) {
        static_cast<void>(new std::shared_ptr<Pipeline>(closed));  // never destroyed: that would wait
        throw nb::python_error();
      }
    }
    const nb::gil_scoped_release released;
    closed.reset();
  }
  std::shared_ptr<Pipeline> get() const {
    PENSTOCK_CHECK(pipeline_, DataError, "the pipeline is closed");
    return pipeline_;
  }
  /// Waits until the oldest batch is done or handed over; Ctrl-C ends the wait. The GIL is released for a real wait
  /// alone: of 600 batches that a thread fed two GPUs through JAX it waited 484 times to have it again.
  std::shared_ptr<Pipeline> waited() const {
    for (bool ready = get()->wait_for({});;) {
      if (PyErr_CheckSignals()) throw nb::python_error();
      const std::shared_ptr<Pipeline> pipeline = get();
      if (ready) return pipeline;
      const nb::gil_scoped_release released;
      ready = pipeline->wait_for(kSignalInterval);
    }
  }
  bool ready(double within) const {
    const std::shared_ptr<Pipeline> pipeline = get();
    if (within <= 0) return pipeline->wait_for({});
    const nb::gil_scoped_release released;
    return pipeline->wait_for(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::duration<double>(within)));
  }
  /// Likewise of the GIL: the first batch opens readers, and where there are others workers begin one.
  void schedule() const {
    const std::shared_ptr<Pipeline> pipeline = get();
    if (pipeline->in_flight() > 0) return pipeline->schedule();
    const nb::gil_scoped_release released;
    pipeline->schedule();
  }
  /// A pipeline that is closed needs no memory.
  void offer(int64_t iteration, size_t output, uintptr_t address, size_t bytes, uintptr_t stream, nb::object lender) {
    if (const std::shared_ptr<Pipeline> pipeline = pipeline_)
      pipeline->offer(
          iteration, output,
          {reinterpret_cast<void*>(address), bytes, reinterpret_cast<void*>(stream), hold(std::move(lender))});
  }
  Batch wait() {
    const std::shared_ptr<Pipeline> pipeline = waited();
    try {
      return pipeline->wait();
    } catch (const DataError& e) {
      if (!raises_ || e.context().sample < 0) throw;
      fail<DataError>(
          "{}\n  to go on without such samples, pass on_error=\"skip\", \"replace\" or \"zero\" to Pipeline", e.what());
    }
  }

 private:
  bool raises_;
  std::shared_ptr<Pipeline> pipeline_;
};

template <class Fn>
auto blocking(Engine& engine, Fn&& fn) {
  const std::shared_ptr<Pipeline> pipeline = engine.get();
  const nb::gil_scoped_release released;
  return fn(*pipeline);
}

OnError on_error_named(const std::string& name) {
  if (name == "raise") return OnError::kRaise;
  if (name == "replace") return OnError::kReplace;
  if (name == "skip") return OnError::kSkip;
  if (name == "zero") return OnError::kZero;
  fail<ArgumentError>("on_error is one of \"raise\", \"replace\", \"skip\" and \"zero\", got \"{}\"", name);
}

template <class T, class Kept>
nb::object array_of(const std::vector<Kept>& values) {
  auto* copy = new std::vector<Kept>(values);
  const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Kept>*>(p); });
  static_assert(sizeof(T) == sizeof(Kept));
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(reinterpret_cast<T*>(copy->data()), {copy->size()}, owner));
}

void bind_results(nb::module_& m) {
  nb::class_<Batch>(m, "Batch")
      .def(
          "take_outputs",
          [](Batch& b) {
            nb::list outputs;
            for (TensorList& list : b.outputs) outputs.append(batch_object(std::move(list)));
            b.outputs.clear();
            return outputs;
          },
          "The lists, once: copying them costs small samples much.")
      .def_prop_ro("valid", [](const Batch& b) { return array_of<bool>(b.valid); })
      .def_prop_ro("indices", [](const Batch& b) { return array_of<int64_t>(b.indices); })
      .def_ro("iteration", &Batch::iteration);
  nb::class_<ConsumerStep>(m, "ConsumerStep")
      .def_ro("number", &ConsumerStep::number)
      .def_ro("samples", &ConsumerStep::samples)
      .def_ro("inputs", &ConsumerStep::inputs);
  nb::class_<Failure>(m, "Failure")
      .def_ro("iteration", &Failure::iteration)
      .def_ro("slot", &Failure::slot)
      .def_ro("index", &Failure::index)
      .def_prop_ro("source", [](const Failure& f) { return text_of(f.source); })
      .def_ro("stage", &Failure::stage)
      .def_prop_ro("reason", [](const Failure& f) { return text_of(f.reason); });
  nb::class_<ReaderMeta>(m, "ReaderMeta")
      .def_ro("name", &ReaderMeta::name)
      .def_ro("epoch_size", &ReaderMeta::epoch_size)
      .def_ro("epoch_size_padded", &ReaderMeta::epoch_size_padded)
      .def_ro("num_shards", &ReaderMeta::num_shards)
      .def_ro("shard", &ReaderMeta::shard)
      .def_ro("pads", &ReaderMeta::pads)
      .def_ro("sticks", &ReaderMeta::sticks)
      .def_ro("steps_per_epoch", &ReaderMeta::steps_per_epoch)
      .def_ro("first_epoch", &ReaderMeta::first_epoch)
      .def_ro("first_iteration", &ReaderMeta::first_iteration)
      .def_ro("steps_in_first_epoch", &ReaderMeta::steps_in_first_epoch)
      .def_ro("epoch_end", &ReaderMeta::epoch_end);
}

}  // namespace

void bind_pipeline(nb::module_& m) {
  using namespace nb::literals;
  bind_results(m);
  nb::class_<Engine>(m, "Pipeline")
      .def(
          "__init__",
          [](Engine* self, const Graph& graph, int batch_size, int num_threads, int64_t seed, int prefetch,
             int prefetch_gpu, const std::string& on_error, bool push_regions, std::optional<int64_t> shuffle_seed,
             int multiprocessors, int device_id) {
            new (self) Engine(graph, {.batch_size = batch_size,
                                      .num_threads = num_threads,
                                      .seed = seed,
                                      .prefetch = prefetch,
                                      .prefetch_gpu = prefetch_gpu,
                                      .on_error = on_error_named(on_error),
                                      .push_regions = push_regions,
                                      .shuffle_seed = shuffle_seed,
                                      .multiprocessors = multiprocessors,
                                      .device_id = device_id});
          },
          "graph"_a, "batch_size"_a, "num_threads"_a = 0, "seed"_a = 0, "prefetch"_a = 2, "prefetch_gpu"_a = 3,
          "on_error"_a = "raise", "push_regions"_a = true, "shuffle_seed"_a = nb::none(), "multiprocessors"_a = 0,
          "device_id"_a = kHostMemory)
      .def("feed",
           [](Engine& e, const std::string& name, nb::handle data) {
             TensorList list = list_of(data);
             const nb::gil_scoped_release released;  // what lies on a GPU may have to be brought to the host
             e.get()->feed(name, std::move(list));
           })
      .def("schedule", &Engine::schedule)
      .def("wait", &Engine::wait)
      .def("ready", &Engine::ready, "within"_a = 0.0, "Whether wait() would not wait, after so many seconds at most.")
      .def("offer", &Engine::offer, "iteration"_a, "output"_a, "address"_a, "bytes"_a, "stream"_a, "lender"_a,
           "Lets that batch write an output there, see Pipeline::offer(): the memory of `lender`, which is held.")
      .def("consumer_step", [](Engine& e) { return e.waited()->consumer_step(); })
      .def("end_consumer_step",
           [](Engine& e, std::vector<TensorList> outputs) {
             blocking(e, [&](Pipeline& p) { p.end_consumer_step(std::move(outputs)); });
           })
      .def("give_up",
           [](Engine& e, const std::string& why) {
             blocking(e, [&](Pipeline& p) { p.end_consumer_step(std::make_exception_ptr(DataError(why))); });
           })
      .def("depth", [](Engine& e) { return e.get()->depth(); })
      .def("in_flight", [](Engine& e) { return e.get()->in_flight(); })
      // Those that ask readers may open them, and what opens tables is Python's.
      .def("readers", [](Engine& e) { return blocking(e, [](Pipeline& p) { return p.readers(); }); })
      .def("explain", [](Engine& e) { return blocking(e, [](Pipeline& p) { return p.explain(); }); })
      .def("stats", [](Engine& e) { return e.get()->stats(); })
      .def(
          "set_tracing", [](Engine& e, bool on) { e.get()->set_tracing(on); }, "on"_a)
      .def("trace", [](Engine& e) { return blocking(e, [](Pipeline& p) { return p.trace(); }); })
      .def("failures", [](Engine& e) { return e.get()->failures(); })
      .def(
          "state",
          [](Engine& e, std::optional<int64_t> batches) {
            return blocking(e, [&](Pipeline& p) { return p.state(batches); });
          },
          "batches"_a = nb::none())
      .def("load_state",
           [](Engine& e, const std::string& state) { blocking(e, [&](Pipeline& p) { p.load_state(state); }); })
      .def("seek", [](Engine& e, int64_t iteration) { blocking(e, [&](Pipeline& p) { p.seek(iteration); }); })
      .def("close", &Engine::close);
}

}  // namespace penstock::bindings
