// Elements looked up at the places that an affine map says: the CPU's are those of a plain formula, and the GPU's
// kernel, its threads played by the host's, gives the same bits.
#include "kernels/sampled/sampled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <penstock/error.h>

#include "core/random.h"
#include "cuda/kernels/sampled.cuh"

namespace penstock::kernels {
namespace {

template <class T>
std::vector<T> noise(int64_t count) {
  Random random(1, 2, 3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(random.uniform() * 250.0f);
  return values;
}

constexpr AffineMap kTurned{{{0.8f, -0.6f, 0, 3.3f}, {0.6f, 0.8f, 0, -2.1f}, {0, 0, 1, 0}}};
constexpr AffineMap kTumbled{{{0.8f, -0.5f, 0.2f, 2.5f}, {0.6f, 0.7f, -0.1f, -1.2f}, {0.1f, -0.2f, 0.9f, 0.7f}}};

struct Lookup {
  AffineMap map = kTurned;
  Sampling sampling = Sampling::kLinear;
  bool clamp = false;
  int32_t size[3] = {11, 9, 1};
  int32_t extent[3] = {37, 13, 1};
  int32_t channels = 3, ndim = 2;
  std::vector<float> fill = {};
};

template <class In, class Out>
struct Prepared {
  Prepared(const Lookup& l, const std::vector<In>& source) : fill(l.fill) {
    job.source = {
        .in = source.data(), .channels = l.channels, .ndim = l.ndim, .sampling = l.sampling, .clamp = l.clamp};
    for (int axis = 0; axis < 3; ++axis) {
      job.source.size[axis] = job.source.extent[axis] = l.size[axis];
      job.target.extent[axis] = l.extent[axis];
    }
    if (!fill.empty()) job.source.fill = fill.data();
    job.map = l.map;
    out.assign(static_cast<size_t>(job.target.positions() * l.channels), Out{77});
    job.target.out = out.data();
  }
  std::vector<float> fill;
  std::vector<Out> out;
  SampledJob<AffineMap> job;
};

template <class In>
std::vector<In> source_of(const Lookup& l) {
  return noise<In>(int64_t{l.size[0]} * l.size[1] * l.size[2] * l.channels);
}

template <class In, class Out>
void run_on_gpu(const SampledJob<AffineMap>& job) {
  const SampledJob<AffineMap> jobs[] = {{.target = {.extent = {0, 0, 0}}}, job};
  cuda::on_threads::run_grid(2, 2, cuda::kSampledThreads, [&] {
    cuda::sampled_kernel<In, Out, AffineMap>(reinterpret_cast<const std::byte*>(jobs), sizeof(jobs[0]));
  });
}

template <class In, class Out = In>
void expect_same(const Lookup& lookup) {
  const std::vector<In> source = source_of<In>(lookup);
  Prepared<In, Out> cpu(lookup, source), gpu(lookup, source);
  run_sampled(cpu.job, dtype_of<In>, dtype_of<Out>);
  run_on_gpu<In, Out>(gpu.job);
  EXPECT_EQ(cpu.out, gpu.out);
}

/// In double precision, element by element.
float plain(const Lookup& l, const std::vector<uint8_t>& source, int x, int y, int z, int channel) {
  double place[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto& row = l.map.matrix[axis];
    place[axis] = double{row[0]} * (x + 0.5) + double{row[1]} * (y + 0.5) + double{row[2]} * (z + 0.5) + double{row[3]};
  }
  const auto at = [&](int i, int j, int k) -> double {
    int index[3] = {i, j, k};
    for (int axis = 0; axis < l.ndim; ++axis) {
      const bool inside = index[axis] >= 0 && index[axis] < l.size[axis];
      if (!inside && !l.clamp) return l.fill.empty() ? 0 : l.fill[static_cast<size_t>(channel)];
      index[axis] = std::clamp(index[axis], 0, l.size[axis] - 1);
    }
    if (l.ndim == 2) index[2] = 0;
    return source[static_cast<size_t>(((index[2] * l.size[1] + index[1]) * l.size[0] + index[0]) * l.channels +
                                      channel)];
  };
  double sum = 0;
  for (int n = 0; n < (l.ndim == 3 ? 8 : 4); ++n) {
    double weight = 1;
    int index[3] = {};
    for (int axis = 0; axis < l.ndim; ++axis) {
      const double low = std::floor(place[axis] - 0.5), part = place[axis] - 0.5 - low;
      const int side = n >> axis & 1;
      weight *= side ? part : 1 - part;
      index[axis] = static_cast<int>(low) + side;
    }
    sum += weight * at(index[0], index[1], index[2]);
  }
  return static_cast<float>(sum);
}

void expect_plain(const Lookup& lookup) {
  const std::vector<uint8_t> source = source_of<uint8_t>(lookup);
  Prepared<uint8_t, float> cpu(lookup, source);
  run_sampled(cpu.job, DType::kUInt8, DType::kFloat);
  size_t i = 0;
  for (int z = 0; z < lookup.extent[2]; ++z)
    for (int y = 0; y < lookup.extent[1]; ++y)
      for (int x = 0; x < lookup.extent[0]; ++x)
        for (int c = 0; c < lookup.channels; ++c, ++i)
          ASSERT_NEAR(cpu.out[i], plain(lookup, source, x, y, z, c), 0.02) << x << ' ' << y << ' ' << z;
}

TEST(Sampled, LinearSamplesAreMixedFromTheirNeighbours) {
  expect_plain({});
  expect_plain({.clamp = true});
  expect_plain({.channels = 2, .fill = {10, 200}});
  expect_plain({.map = kTumbled, .size = {7, 6, 5}, .extent = {8, 7, 6}, .ndim = 3});
  expect_plain({.map = kTumbled, .clamp = true, .size = {7, 6, 5}, .extent = {8, 7, 6}, .channels = 1, .ndim = 3});
}

TEST(Sampled, TheIdentityIsACopyForBothSamplings) {
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kLinear}) {
    const Lookup lookup{.map = {}, .sampling = sampling, .size = {11, 9, 1}, .extent = {11, 9, 1}};
    const std::vector<uint8_t> source = source_of<uint8_t>(lookup);
    Prepared<uint8_t, uint8_t> cpu(lookup, source);
    run_sampled(cpu.job, DType::kUInt8, DType::kUInt8);
    EXPECT_EQ(cpu.out, source);
  }
}

TEST(Sampled, TheNearestElementIsTheOneThatThePlaceLiesIn) {
  // Columns twice as wide, begun a quarter of an element early; what lies before the first one is filled.
  const Lookup lookup{.map = {{{0.5f, 0, 0, -0.26f}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
                      .sampling = Sampling::kNearest,
                      .size = {3, 1, 1},
                      .extent = {8, 1, 1},
                      .channels = 1,
                      .fill = {9}};
  const std::vector<uint8_t> source = {1, 2, 3};
  Prepared<uint8_t, uint8_t> cpu(lookup, source);
  run_sampled(cpu.job, DType::kUInt8, DType::kUInt8);
  EXPECT_EQ(cpu.out, (std::vector<uint8_t>{9, 1, 1, 2, 2, 3, 3, 9}));
}

TEST(Sampled, AGpuGivesTheCpusBits) {
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kLinear})
    for (const bool clamp : {false, true}) {
      expect_same<uint8_t>({.sampling = sampling, .clamp = clamp, .fill = {1, 2, 3}});
      expect_same<int16_t, float>({.map = kTumbled,
                                   .sampling = sampling,
                                   .clamp = clamp,
                                   .size = {7, 6, 5},
                                   .extent = {33, 9, 3},
                                   .channels = 1,
                                   .ndim = 3});
    }
  expect_same<uint16_t>({});
  expect_same<int32_t>({.map = kTumbled, .size = {7, 6, 5}, .extent = {8, 7, 6}, .ndim = 3});
  expect_same<float>({.channels = 5});
}

// Rows of many vectors, of which none, some or all positions lie inside of the source, and sources of one column.
TEST(Sampled, LongRowsHaveTheGpusBits) {
  constexpr AffineMap kSmall{{{0.31f, -0.02f, 0, -3.7f}, {0.05f, 0.4f, 0, -1.2f}, {0, 0, 1, 0}}};
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kLinear})
    for (const bool clamp : {false, true})
      for (const int32_t columns : {1, 90})
        for (const int32_t channels : {3, 4}) {
          const Lookup lookup{.map = kSmall,
                              .sampling = sampling,
                              .clamp = clamp,
                              .size = {columns, 12, 1},
                              .extent = {391, 7, 1},
                              .channels = channels,
                              .fill = {1, 2, 3, 4}};
          expect_same<uint8_t>(lookup);
          expect_same<uint8_t, float>(lookup);
        }
}

// Rows that begin anywhere between words, and end there; what lies beyond the border is filled or found further inside.
TEST(Sampled, PixelsOfShortRowsHaveTheCpusBits) {
  constexpr AffineMap kSteep{{{0.9f, -0.4f, 0, 1.3f}, {0.4f, 0.9f, 0, -2.1f}, {0, 0, 1, 0}}};
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kLinear})
    for (const Border beyond : {Border::kConstant, Border::kClamp, Border::kReflect101, Border::kWrap})
      for (const int32_t columns : {1, 2, 3, 4, 5, 66}) {
        const Lookup lookup{
            .map = kSteep, .sampling = sampling, .size = {7, 6, 1}, .extent = {columns, 18, 1}, .fill = {1, 2, 3}};
        const std::vector<uint8_t> source = source_of<uint8_t>(lookup);
        Prepared<uint8_t, uint8_t> cpu(lookup, source), gpu(lookup, source);
        cpu.job.source.beyond = gpu.job.source.beyond = beyond;
        run_sampled(cpu.job, DType::kUInt8, DType::kUInt8);
        run_on_gpu<uint8_t, uint8_t>(gpu.job);
        EXPECT_EQ(cpu.out, gpu.out) << columns << " columns";
      }
}

TEST(Sampled, PlacesThatAreNoneGetTheFillValue) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  for (const float odd : {kNan, kInfinity, -kInfinity, 1e30f}) {
    Lookup lookup{.map = {{{odd, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, .fill = {5, 6, 7}};
    const std::vector<uint8_t> source = source_of<uint8_t>(lookup);
    for (lookup.sampling = Sampling::kNearest;; lookup.sampling = Sampling::kLinear) {
      Prepared<uint8_t, uint8_t> cpu(lookup, source);
      run_sampled(cpu.job, DType::kUInt8, DType::kUInt8);
      for (size_t i = 0; i < cpu.out.size(); ++i) ASSERT_EQ(cpu.out[i], 5 + i % 3) << odd;
      Prepared<uint8_t, uint8_t> gpu(lookup, source);
      run_on_gpu<uint8_t, uint8_t>(gpu.job);
      EXPECT_EQ(cpu.out, gpu.out);
      if (lookup.sampling == Sampling::kLinear) break;
    }
  }
}

/// A window of the result, made of what it needs, is that part of the whole.
void expect_window(const Lookup& l, int32_t x0, int32_t width, int32_t y0, int32_t height) {
  const std::vector<uint8_t> source = source_of<uint8_t>(l);
  Prepared<uint8_t, uint8_t> all(l, source), cut(l, source);
  run_sampled(all.job, DType::kUInt8, DType::kUInt8);
  SampledJob<AffineMap>& job = cut.job;
  job.target.first[0] = x0;
  job.target.first[1] = y0;
  job.target.extent[0] = width;
  job.target.extent[1] = height;
  const SampledBox need = sampled_need(l.map, job.target, {l.size[0], l.size[1], l.size[2]}, l.clamp);
  std::vector<uint8_t> held;
  for (int64_t y = need.begin[1]; y < need.end[1]; ++y)
    for (int64_t i = need.begin[0] * l.channels; i < need.end[0] * l.channels; ++i)
      held.push_back(source[static_cast<size_t>(y * l.size[0] * l.channels + i)]);
  for (int axis = 0; axis < 3; ++axis) {
    job.source.held[axis] = static_cast<int32_t>(need.begin[axis]);
    job.source.extent[axis] = static_cast<int32_t>(need.end[axis] - need.begin[axis]);
  }
  job.source.in = held.data();
  run_sampled(job, DType::kUInt8, DType::kUInt8);
  SampledJob<AffineMap> on_gpu = job;
  std::vector<uint8_t> made(cut.out.size(), uint8_t{77});
  on_gpu.target.out = made.data();
  run_on_gpu<uint8_t, uint8_t>(on_gpu);
  EXPECT_EQ(cut.out, made);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * l.channels; ++i)
      ASSERT_EQ(cut.out[static_cast<size_t>(y * width * l.channels + i)],
                all.out[static_cast<size_t>(((y0 + y) * l.extent[0] + x0) * l.channels + i)])
          << y << ' ' << i;
}

TEST(Sampled, WindowsAreThatPartOfTheWhole) {
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kLinear})
    for (const bool clamp : {false, true}) {
      const Lookup lookup{
          .sampling = sampling, .clamp = clamp, .size = {40, 30, 1}, .extent = {50, 40, 1}, .fill = {1, 2, 3}};
      expect_window(lookup, 0, 5, 0, 4);
      expect_window(lookup, 12, 9, 8, 7);
      expect_window(lookup, 3, 47, 5, 33);
      expect_window(lookup, 40, 10, 33, 7);
      expect_window(lookup, 49, 1, 39, 1);
    }
}

TEST(Sampled, ASmallWindowNeedsLittle) {
  const SampledTarget target{.first = {20, 10, 0}, .extent = {4, 4, 1}};
  const SampledBox need = sampled_need(kTurned, target, {100, 100, 1}, false);
  for (int axis = 0; axis < 2; ++axis) EXPECT_LE(need.end[axis] - need.begin[axis], 9);
  const SampledTarget far{.first = {500, 500, 0}, .extent = {4, 4, 1}};
  const SampledBox none = sampled_need(kTurned, far, {100, 100, 1}, false);
  EXPECT_EQ(none.end[0] - none.begin[0], 0);
}

/// Frames one behind the other come out as each of them by itself, on both.
void expect_frames(const Lookup& one) {
  constexpr int32_t kFrames = 3;
  Lookup all = one;
  all.size[2] *= kFrames, all.extent[2] *= kFrames;  // of memory
  const std::vector<uint8_t> source = source_of<uint8_t>(all);
  Prepared<uint8_t, uint8_t> cpu(all, source), gpu(all, source), alone(one, source);
  for (SampledJob<AffineMap>* job : {&cpu.job, &gpu.job}) {
    job->frames = kFrames;
    job->source.size[2] = job->source.extent[2] = one.size[2];
    job->target.extent[2] = one.extent[2];
  }
  run_sampled(cpu.job, DType::kUInt8, DType::kUInt8);
  run_on_gpu<uint8_t, uint8_t>(gpu.job);
  EXPECT_EQ(cpu.out, gpu.out);
  const auto frame = static_cast<int64_t>(source.size() / kFrames);
  for (int64_t i = 0; i < kFrames; ++i) {
    alone.job.source.in = source.data() + i * frame;
    run_sampled(alone.job, DType::kUInt8, DType::kUInt8);
    EXPECT_TRUE(std::equal(alone.out.begin(), alone.out.end(), cpu.out.begin() + i * std::ssize(alone.out))) << i;
  }
}

TEST(Sampled, EachFrameIsLookedUpInItsOwn) {
  expect_frames({});
  expect_frames({.clamp = true});
  expect_frames({.map = kTumbled, .size = {7, 6, 5}, .extent = {8, 7, 6}, .channels = 1, .ndim = 3});
}

TEST(Sampled, RefusesTypesThatItHasNot) {
  const SampledJob<AffineMap> job;
  EXPECT_THROW(run_sampled(job, DType::kFloat64, DType::kFloat64), TypeError);
  EXPECT_THROW(run_sampled(job, DType::kUInt8, DType::kInt16), TypeError);
}

}  // namespace
}  // namespace penstock::kernels
