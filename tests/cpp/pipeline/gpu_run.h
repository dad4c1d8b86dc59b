// Batches of four on a GPU of host memory, number 5.
#pragma once

#include <penstock/gpu.h>

#include "device/fake_backend.h"
#include "pipeline/chooser.h"
#include "pipeline/executor.h"
#include "pipeline/folder.h"

namespace penstock::test {

/// readers.file and, behind it, decoders.image on the GPU.
inline Graph decoding_on_gpu(const std::map<std::string, ArgValue>& reader_args, const char* decoder) {
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = reader_args, .name = "files"});
  Node image =
      graph.add({.op = "decoders.image", .inputs = {read[0]}, .args = {{"decoder", decoder}}, .device = "mixed"})[0];
  image.on_gpu = true;
  graph.set_outputs({image});
  return graph;
}

template <class Backend = device::test::FakeBackend>
struct GpuRun {
  /// @param lacking  kernels that the GPU has not
  GpuRun(const Graph& graph, OnError on_error, std::set<std::string> lacking = {})
      : options{.batch_size = 4, .on_error = on_error, .device_id = 5},
        plan((backend->lacking = std::move(lacking), make_plan(graph, options, &gpu))) {}

  void start() {
    chooser.orders();
    executor.start(new_batch(plan, next++, options.batch_size));
  }
  std::unique_ptr<BatchState> take() {
    auto batch = executor.take();
    if (batch->batch_error) std::rethrow_exception(batch->batch_error);
    return batch;
  }
  std::unique_ptr<BatchState> run() {
    start();
    return take();
  }

  std::shared_ptr<Backend> backend = std::make_shared<Backend>();
  device::Device gpu{5, backend, backend->engine()};
  PipelineOptions options;
  Plan plan;
  Chooser chooser{plan, options};
  Executor executor{plan, options, chooser, &gpu};
  int64_t next = 0;
};

}  // namespace penstock::test
