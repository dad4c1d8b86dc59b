// A pipeline that reads a folder of images, then two that share it. Prints what examples/multi_gpu.py prints.
//
// usage: multi_gpu FOLDER    (one sub-folder a class)
#include <penstock/penstock.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace fn = penstock::fn;

/// Reads one shard of the folder and decodes its pictures.
penstock::Graph sharded(const std::string& folder, int shard_id = 0, int num_shards = 1) {
  penstock::Graph graph;
  const auto [jpegs, labels] =
      fn::readers::file(graph, {.file_root = folder, .num_shards = num_shards, .shard_id = shard_id});
  const auto images =
      fn::decoders::image(graph, jpegs, {.output_type = penstock::ImageType::kRGB, .common = {.device = "mixed"}});
  graph.set_outputs({images, labels});
  return graph;
}

/// One line a sample: its file, the extents of the picture, its label.
void show(const std::string& title, const penstock::Batch& batch) {
  std::printf("%s\n", title.c_str());
  const penstock::TensorList &images = batch.outputs[0], &labels = batch.outputs[1];
  for (int64_t i = 0; i < images.size(); ++i) {
    const std::string name = std::filesystem::path(images.source(i)).filename();
    std::printf("  %s %s label %d\n", name.c_str(), to_string(images[i].shape).c_str(), *labels[i].as<int32_t>());
  }
}

int main(int argc, char** argv) try {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER    (one sub-folder of images a class)\n", argv[0]);
    return 2;
  }
  constexpr int kShards = 2;
  show("one pipeline", penstock::Pipeline(sharded(argv[1]), {.batch_size = 4}).run());
  for (int shard = 0; shard < kShards; ++shard) {
    penstock::Pipeline pipeline(sharded(argv[1], shard, kShards), {.batch_size = 4});
    show("shard " + std::to_string(shard) + " of " + std::to_string(kShards), pipeline.run());
  }
} catch (const penstock::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
