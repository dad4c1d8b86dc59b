// What does the host do for a picture that a GPU decodes and augments? The job "train" of penstock.bench.pipelines,
// with a GPU that does nothing at all: no GPU is needed, and what is measured is CPU time. PENSTOCK_JPEGS names a
// folder of pictures in one folder a class, or the folder of an LMDB into which `penstock pack` put them.
// PENSTOCK_NUM_THREADS says how many workers there are.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <penstock/penstock.h>

#include "core/worker_pool.h"
#include "device/fake_backend.h"
#include "pipeline/chooser.h"
#include "pipeline/depth.h"
#include "pipeline/executor.h"

namespace penstock {
namespace {

struct IdleGpu : device::test::FakeBackend {
  IdleGpu() { free = size_t{1} << 36; }
  void copy_many(device::Stream, std::span<const device::CopyJob>, device::Begin) override {}
};

std::pair<Node, Node> read(Graph& graph, const std::string& folder) {
  if (std::filesystem::exists(folder + "/data.mdb")) {
    const auto read = fn::readers::caffe2(graph, {.path = {folder}, .random_shuffle = true});
    return {read[0], read[1]};
  }
  const auto [jpegs, labels] = fn::readers::file(graph, {.file_root = folder, .random_shuffle = true});
  return {jpegs, labels};
}

/// @param checkpoints MB of them
Graph training(const std::string& folder, int64_t checkpoints) {
  Graph graph;
  const CommonArgs on_gpu{.device = "gpu"};
  const auto [jpegs, labels] = read(graph, folder);
  const Node window = fn::decoders::image_random_crop(graph, jpegs,
                                                      {.checkpoints = checkpoints,
                                                       .random_area = {0.08, 1.0},
                                                       .random_aspect_ratio = {3.0 / 4, 4.0 / 3},
                                                       .common = {.device = "mixed"}});
  const Node resized =
      fn::resize(graph, window, {.antialias = false, .size = {224.0, 224.0}, .common = on_gpu}).front();
  const Node images = fn::crop_mirror_normalize(graph, resized,
                                                {.crop = {224.0, 224.0},
                                                 .dtype = DType::kFloat16,
                                                 .mean = {123.675, 116.28, 103.53},
                                                 .mirror = fn::random::coin_flip(graph, {}),
                                                 .output_layout = "CHW",
                                                 .std = {58.395, 57.12, 57.375},
                                                 .common = on_gpu});
  graph.set_outputs({images.gpu(), labels});
  return graph;
}

/// Batches in the making, one after the other.
class Batches {
 public:
  explicit Batches(const Graph& graph) : plan_(make_plan(graph, options_, &gpu_)) {
    while (executor_.in_flight() < depth_of(options_)) start();
  }
  void next() {
    const auto batch = executor_.take();
    if (batch->batch_error) std::rethrow_exception(batch->batch_error);
    start();
  }
  int size() const { return options_.batch_size; }

 private:
  void start() {
    chooser_.orders();
    executor_.start(new_batch(plan_, iteration_++, options_.batch_size));
  }
  const std::shared_ptr<IdleGpu> backend_ = std::make_shared<IdleGpu>();
  device::Device gpu_{0, backend_, backend_->engine()};
  const PipelineOptions options_{.batch_size = 256, .device_id = 0};
  const Plan plan_;
  Chooser chooser_{plan_, options_};
  Executor executor_{plan_, options_, chooser_, &gpu_};
  int64_t iteration_ = 0;
};

struct CpuTime {  // in microseconds, of all threads
  double program, system;
};

CpuTime cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return {us(usage.ru_utime), us(usage.ru_stime)};
}

void train(benchmark::State& state, int64_t checkpoints) {
  const char* folder = std::getenv("PENSTOCK_JPEGS");
  if (!folder) return state.SkipWithError("PENSTOCK_JPEGS names no folder of pictures");
  Batches batches(training(folder, checkpoints));
  for (int i = 0; i < 20; ++i) batches.next();
  const CpuTime before = cpu_time();
  for (auto _ : state) batches.next();
  const CpuTime after = cpu_time();
  const auto pictures = static_cast<double>(state.iterations() * batches.size());
  state.counters["pictures"] = benchmark::Counter(pictures, benchmark::Counter::kIsRate);
  state.counters["us_of_program"] = (after.program - before.program) / pictures;
  state.counters["us_of_system"] = (after.system - before.system) / pictures;
}
BENCHMARK_CAPTURE(train, without_checkpoints, 0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train, with_checkpoints, 256)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock
