// Time of one resize on one core: the sizes that training and evaluation on photographs ask for.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/arena.h"
#include "core/random.h"
#include "kernels/resample/resample.h"

namespace penstock::kernels {
namespace {

struct Case {
  int64_t in_h, in_w, out_h, out_w;
  PlaneRegion roi;
  bool antialias;
  int64_t channels;
  bool float_out;
};

AxisGeometry axis(int64_t in, int64_t out, int64_t start, int64_t end, bool antialias) {
  return {.in = in,
          .out = out,
          .start = static_cast<float>(start),
          .end = static_cast<float>(end),
          .filter = InterpType::kTriangular,
          .antialias = antialias,
          .begin = 0,
          .stop = out};
}

void resize(benchmark::State& state, const Case& c) {
  std::vector<uint8_t> in(static_cast<size_t>(c.in_h * c.in_w * c.channels));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(mix64(i));
  Geometry geometry{.z = {},
                    .y = axis(c.in_h, c.out_h, c.roi.y0, c.roi.y1, c.antialias),
                    .x = axis(c.in_w, c.out_w, c.roi.x0, c.roi.x1, c.antialias),
                    .channels = c.channels};
  std::vector<float> out(static_cast<size_t>(c.out_h * c.out_w * c.channels));
  Arena arena;
  for (auto _ : state) {
    Resampler resampler;  // the plan is made anew: random crops never repeat a size
    resampler.plan(geometry);
    arena.reset();
    auto* scratch = reinterpret_cast<float*>(arena.take(resampler.scratch_size() * sizeof(float)));
    resampler.run(DType::kUInt8, reinterpret_cast<const std::byte*>(in.data()), {0, 0, c.in_h, c.in_w},
                  c.float_out ? DType::kFloat : DType::kUInt8, reinterpret_cast<std::byte*>(out.data()), scratch);
    benchmark::DoNotOptimize(out.data());
  }
}

void plan(benchmark::State& state, const Case& c) {
  Geometry geometry{.z = {},
                    .y = axis(c.in_h, c.out_h, c.roi.y0, c.roi.y1, c.antialias),
                    .x = axis(c.in_w, c.out_w, c.roi.x0, c.roi.x1, c.antialias),
                    .channels = c.channels};
  for (auto _ : state) {
    Resampler resampler;
    resampler.plan(geometry);
    benchmark::DoNotOptimize(resampler);
  }
}

// 39 % of the area of 500x375 is the mean crop of training; 341x256 is what evaluation crops 224x224 from.
constexpr Case kTrain{375, 500, 224, 224, {70, 90, 304, 402}, false, 3, false};
constexpr Case kTrainAntialias{375, 500, 224, 224, {70, 90, 304, 402}, true, 3, false};
constexpr Case kTrainGray{375, 500, 224, 224, {70, 90, 304, 402}, false, 1, false};
constexpr Case kEvaluation{375, 500, 256, 341, {0, 0, 375, 500}, true, 3, false};
constexpr Case kThumbnail{375, 500, 96, 128, {0, 0, 375, 500}, true, 3, false};
constexpr Case kEnlarge{120, 160, 224, 298, {0, 0, 120, 160}, false, 3, false};
constexpr Case kLarge{1500, 2000, 224, 298, {0, 0, 1500, 2000}, true, 3, false};

BENCHMARK_CAPTURE(resize, train, kTrain)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, train_antialias, kTrainAntialias)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, train_gray, kTrainGray)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, evaluation, kEvaluation)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, thumbnail, kThumbnail)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, enlarge, kEnlarge)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(resize, large, kLarge)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, train, kTrain)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, evaluation, kEvaluation)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock::kernels
