// Two pipelines that share a folder of images: each reads its own half. The C++ twin of examples/multi_gpu.py.
//
// usage: multi_gpu FOLDER    (one sub-folder a class)
#include <penstock/fn.h>
#include <penstock/pipeline.h>

#include <cstdio>
#include <filesystem>

namespace fn = penstock::fn;

penstock::Graph sharded(const std::string& folder, int shard, int num_shards) {
  penstock::Graph graph;
  const auto [jpegs, labels] =
      fn::readers::file(graph, {.file_root = folder, .num_shards = num_shards, .shard_id = shard});
  const auto images =
      fn::decoders::image(graph, jpegs, {.output_type = penstock::ImageType::kRGB, .common = {.device = "mixed"}});
  graph.set_outputs({images, labels});
  return graph;
}

void show(const char* title, const penstock::Batch& batch) {
  std::printf("%s\n", title);
  for (int64_t i = 0; i < batch.outputs[0].size(); ++i) {
    const penstock::TensorView image = batch.outputs[0][i];
    std::printf("  %-24s label %d, %s\n", std::string(batch.outputs[0].source(i)).c_str(),
                *batch.outputs[1][i].as<int32_t>(), to_string(image.shape).c_str());
  }
}

int main(int argc, char** argv) try {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER    (one sub-folder of images a class)\n", argv[0]);
    return 2;
  }
  penstock::Pipeline one(sharded(argv[1], 0, 2), {.batch_size = 4});
  penstock::Pipeline two(sharded(argv[1], 1, 2), {.batch_size = 4});
  show("first half", one.run());
  show("second half", two.run());
} catch (const penstock::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
