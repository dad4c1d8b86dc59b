// What does crop_mirror_normalize cost per image of 224 x 224 pixels, by input and output?
#include <benchmark/benchmark.h>

#include "core/arena.h"
#include "schema/registry.h"
#include "schema/sample_runner.h"

namespace penstock {

void register_crop_mirror_normalize(Registry& r);

namespace {

void run(benchmark::State& state, DType dtype, const char* output_layout, int64_t channels, bool mirror) {
  Registry registry;
  register_crop_mirror_normalize(registry);
  OpSpec spec{.args = {{"dtype", static_cast<int64_t>(dtype)},
                       {"output_layout", std::string(output_layout)},
                       {"mirror", mirror},
                       {"crop", std::vector<double>{224, 224}},
                       {"mean", std::vector<double>(static_cast<size_t>(channels), 120)},
                       {"std", std::vector<double>(static_cast<size_t>(channels), 60)}},
              .num_inputs = 1};
  const auto op = registry.at("crop_mirror_normalize").make(spec);
  const auto& sample_op = dynamic_cast<const SampleOperatorBase&>(*op);
  std::vector<std::byte> pixels(static_cast<size_t>(256 * 256 * channels));
  Value in{{{DType::kUInt8, {256, 256, channels}, "HWC"}, pixels.data()}, {}, {}}, out;
  in.held = whole(in.tensor);
  Arena arena;
  SampleRunner runner(sample_op, 1);
  runner.set_arena(&arena);
  runner.add_input(&in);
  runner.add_output(&out);
  runner.infer({});
  std::vector<std::byte> slab(out.tensor.nbytes());
  out.tensor.data = slab.data();
  const SampleId id;
  for (auto _ : state) {
    arena.reset();
    std::byte* data = out.tensor.data;
    runner.infer(id);
    out.tensor.data = data;
    out.held = whole(out.tensor);
    runner.run();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * (out.tensor.nbytes())));
}

BENCHMARK_CAPTURE(run, rgb_float_chw, DType::kFloat, "CHW", 3, false);
BENCHMARK_CAPTURE(run, rgb_float_chw_mirror, DType::kFloat, "CHW", 3, true);
BENCHMARK_CAPTURE(run, rgb_half_chw, DType::kFloat16, "CHW", 3, false);
BENCHMARK_CAPTURE(run, rgb_half_chw_mirror, DType::kFloat16, "CHW", 3, true);
BENCHMARK_CAPTURE(run, rgb_float_hwc, DType::kFloat, "HWC", 3, false);
BENCHMARK_CAPTURE(run, rgb_float_hwc_mirror, DType::kFloat, "HWC", 3, true);
BENCHMARK_CAPTURE(run, rgb_half_hwc, DType::kFloat16, "HWC", 3, false);
BENCHMARK_CAPTURE(run, gray_float_chw, DType::kFloat, "CHW", 1, false);
BENCHMARK_CAPTURE(run, gray_float_chw_mirror, DType::kFloat, "CHW", 1, true);
BENCHMARK_CAPTURE(run, rgb_uint8_chw, DType::kUInt8, "CHW", 3, false);

}  // namespace
}  // namespace penstock
