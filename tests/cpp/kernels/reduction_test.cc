// Reductions along axes: the CPU's are plain sums, and the GPU's kernel, its threads played by the host's, agrees.
#include "kernels/reduction/reduction.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <penstock/error.h>

#include "core/random.h"
#include "cuda/kernels/reduction.cuh"

namespace penstock::kernels {
namespace {

constexpr Reduction kAll[] = {Reduction::kSum,        Reduction::kMin,            Reduction::kMax,
                              Reduction::kMean,       Reduction::kMeanSquare,     Reduction::kRootMeanSquare,
                              Reduction::kVariance,   Reduction::kDeviation};

template <class T>
std::vector<T> noise(int64_t count) {
  Random random(1, 2, 3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    const float x = random.uniform() * 250.0f;
    value = static_cast<T>(std::is_signed_v<T> ? x - 125 : x);
  }
  return values;
}

struct Asked {
  Reduction reduction = Reduction::kSum;
  Shape shape;
  std::vector<int> axes;
  int ddof = 0;
  int32_t parts = 1;
  std::vector<int64_t> strides = {};
};

template <class In, class Out>
struct Prepared {
  Prepared(const Asked& asked, const std::vector<In>& in, const std::vector<float>& means) {
    std::array<bool, kMaxDims> reduced{};
    for (int axis : asked.axes) reduced[static_cast<size_t>(axis)] = true;
    job = reduction_job(asked.reduction, asked.shape,
                        std::span(reduced).first(static_cast<size_t>(asked.shape.ndim())), asked.strides);
    job.in = in.data();
    job.ddof = asked.ddof;
    if (!means.empty() && (asked.reduction == Reduction::kVariance || asked.reduction == Reduction::kDeviation)) {
      job.mean = means.data();
      job.one_mean = means.size() == 1;
    }
    out.assign(static_cast<size_t>(job.results), Out{77});
    job.out = out.data();
    job.parts = asked.parts;
    partial.resize(static_cast<size_t>(job.results * job.parts));
    ended.resize(static_cast<size_t>(job.results));
    job.partial = partial.data();
    job.ended = ended.data();
  }
  ReductionJob job;
  std::vector<Out> out;
  std::vector<double> partial;
  std::vector<uint32_t> ended;
};

template <class In, class Out>
std::vector<Out> on_cpu(const Asked& asked, const std::vector<In>& in, const std::vector<float>& means = {}) {
  Prepared<In, Out> p(asked, in, means);
  run_reduction(p.job, dtype_of<In>, dtype_of<Out>);
  return p.out;
}

template <class In, class Out>
std::vector<Out> on_gpu(const Asked& asked, const std::vector<In>& in, const std::vector<float>& means = {}) {
  Prepared<In, Out> p(asked, in, means);
  ReductionJob none;
  none.results = 0;
  const ReductionJob jobs[] = {none, p.job};
  cuda::on_threads::run_grid(2, 2, cuda::kReductionThreads, [&] {
    cuda::reduction_kernel<In>(reinterpret_cast<const std::byte*>(jobs), sizeof(jobs[0]), dtype_of<Out>);
  });
  return p.out;
}

/// One result a group, as the definition has it.
template <class In>
std::vector<double> plain(const Asked& asked, const std::vector<In>& in, const std::vector<float>& means = {}) {
  const int ndim = asked.shape.ndim();
  std::vector<std::vector<double>> groups;
  std::vector<int64_t> index(static_cast<size_t>(ndim));
  for (const In x : in) {
    size_t group = 0;
    for (int axis = 0; axis < ndim; ++axis)
      if (std::find(asked.axes.begin(), asked.axes.end(), axis) == asked.axes.end())
        group = group * static_cast<size_t>(asked.shape[axis]) + static_cast<size_t>(index[static_cast<size_t>(axis)]);
    groups.resize(std::max(groups.size(), group + 1));
    groups[group].push_back(static_cast<double>(x));
    for (int axis = ndim - 1; axis >= 0 && ++index[static_cast<size_t>(axis)] == asked.shape[axis]; --axis)
      index[static_cast<size_t>(axis)] = 0;
  }
  std::vector<double> results;
  for (size_t g = 0; g < groups.size(); ++g) {
    double sum = 0, squares = 0, distances = 0, least = groups[g][0], most = least;
    const double mean = means.empty() ? 0 : double{means[means.size() == 1 ? 0 : g]};
    for (const double x : groups[g]) {
      sum += x;
      squares += x * x;
      distances += (x - mean) * (x - mean);
      least = std::min(least, x);
      most = std::max(most, x);
    }
    const auto n = static_cast<double>(groups[g].size());
    const double all[] = {sum, least, most, sum / n, squares / n, std::sqrt(squares / n), distances / (n - asked.ddof),
                          std::sqrt(distances / (n - asked.ddof))};
    results.push_back(all[static_cast<size_t>(asked.reduction)]);
  }
  return results;
}

template <class In>
void expect_plain(Asked asked, const std::vector<float>& means = {}) {
  const std::vector<In> in = noise<In>(asked.shape.volume());
  for (asked.reduction = Reduction::kSum;; asked.reduction = static_cast<Reduction>(static_cast<int>(asked.reduction) + 1)) {
    const std::vector<double> expected = plain(asked, in, means);
    const auto cpu = on_cpu<In, float>(asked, in, means);
    // On the GPU's side those differ by what is added and what comes of the sum, which the CPU shares.
    const bool differs = asked.reduction == Reduction::kMin || asked.reduction == Reduction::kDeviation;
    const auto gpu = differs ? on_gpu<In, float>(asked, in, means) : cpu;
    ASSERT_EQ(cpu.size(), expected.size());
    for (size_t i = 0; i < cpu.size(); ++i) {
      const double close = 1e-5 * std::abs(expected[i]) + 1e-5;
      ASSERT_NEAR(cpu[i], expected[i], close) << static_cast<int>(asked.reduction) << ' ' << i;
      ASSERT_NEAR(gpu[i], expected[i], close) << static_cast<int>(asked.reduction) << ' ' << i;
    }
    if (asked.reduction == Reduction::kDeviation) break;
  }
}

TEST(ReductionKernel, IsWhatItsNameSaysAlongAnyAxes) {
  expect_plain<uint8_t>({.shape = {17, 13, 3}, .axes = {0, 1}});  // channels stay
  expect_plain<int16_t>({.shape = {17, 13, 3}, .axes = {0, 1, 2}});
  expect_plain<float>({.shape = {5, 300}, .axes = {0}}, {3});  // one mean for all
  expect_plain<float>({.shape = {4, 301}, .axes = {1}, .ddof = 1}, {1, 2, 3, 4});
  expect_plain<int32_t>({.shape = {3, 5, 4, 6}, .axes = {0, 2}});
  expect_plain<double>({.shape = {3, 5, 4, 6}, .axes = {1, 3}});
  expect_plain<uint16_t>({.shape = {9, 7}, .axes = {}});
}

TEST(ReductionKernel, LargeResultsAreSharedAmongThreadBlocks) {
  expect_plain<uint8_t>({.shape = {50, 40, 3}, .axes = {0, 1}, .parts = 7});
  expect_plain<float>({.shape = {5003}, .axes = {0}, .parts = 5}, {2.5f});
}

TEST(ReductionKernel, IntegersAreSummedExactly) {
  const std::vector<int32_t> in = {2147483647, 2147483647, 1, -5};
  const Asked asked{.shape = {4}, .axes = {0}};
  EXPECT_EQ((on_cpu<int32_t, int64_t>(asked, in)), std::vector<int64_t>{4294967290});
  EXPECT_EQ((on_gpu<int32_t, int64_t>(asked, in)), std::vector<int64_t>{4294967290});
  EXPECT_EQ((on_cpu<int32_t, int32_t>(asked, in)), std::vector<int32_t>{2147483647}) << "it saturates";
  const std::vector<uint64_t> large = {uint64_t{1} << 63, (uint64_t{1} << 63) - 1};
  EXPECT_EQ((on_cpu<uint64_t, uint64_t>({.shape = {2}, .axes = {0}}, large)), std::vector<uint64_t>{~uint64_t{0}});
  const std::vector<int64_t> wide = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  EXPECT_EQ((on_cpu<int64_t, int64_t>({.reduction = Reduction::kMin, .shape = {2}, .axes = {0}}, wide)),
            std::vector<int64_t>{wide[0]});
  EXPECT_EQ((on_gpu<int64_t, int64_t>({.reduction = Reduction::kMax, .shape = {2}, .axes = {0}}, wide)),
            std::vector<int64_t>{wide[1]});
}

TEST(ReductionKernel, AStridedViewIsReducedWhereItLies) {
  const std::vector<int16_t> in = noise<int16_t>(6 * 10);
  std::vector<int16_t> view;  // every second column of rows 0 to 5
  for (int64_t y = 0; y < 6; ++y)
    for (int64_t x = 0; x < 10; x += 2) view.push_back(in[static_cast<size_t>(y * 10 + x)]);
  for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {0, 1}}) {
    const Asked dense{.shape = {6, 5}, .axes = axes}, strided{.shape = {6, 5}, .axes = axes, .strides = {10, 2}};
    EXPECT_EQ((on_cpu<int16_t, int64_t>(strided, in)), (on_cpu<int16_t, int64_t>(dense, view)));
    EXPECT_EQ((on_gpu<int16_t, int64_t>(strided, in)), (on_cpu<int16_t, int64_t>(dense, view)));
  }
}

TEST(ReductionKernel, OfNothingThereIsNoMean) {
  const std::vector<float> none;
  const Asked empty{.shape = {2, 0}, .axes = {1}};
  const auto of = [&](Reduction reduction) {
    Asked asked = empty;
    asked.reduction = reduction;
    const auto cpu = on_cpu<float, float>(asked, none), gpu = on_gpu<float, float>(asked, none);
    EXPECT_EQ(cpu.size(), 2U);
    EXPECT_TRUE(cpu[1] == gpu[1] || (std::isnan(cpu[1]) && std::isnan(gpu[1])));
    return cpu[0];
  };
  EXPECT_EQ(of(Reduction::kSum), 0);
  EXPECT_EQ(of(Reduction::kMax), 0);
  EXPECT_TRUE(std::isnan(of(Reduction::kMean)));
  EXPECT_EQ(of(Reduction::kVariance), 0);
}

TEST(ReductionKernel, FewLargeResultsAreDividedAndManyAreNot) {
  const bool all[] = {true, true};
  ReductionJob few = reduction_job(Reduction::kSum, {1080, 1920}, all);
  const size_t bytes = divide_for_gpu(few, 16);
  EXPECT_EQ(bytes, static_cast<size_t>(few.parts) * sizeof(double));
  EXPECT_GT(few.parts, 8);
  EXPECT_EQ(divide_for_gpu(few, 4096), 0U);
  EXPECT_EQ(few.parts, 1);
  ReductionJob small = reduction_job(Reduction::kSum, {10, 10}, all);
  EXPECT_EQ(divide_for_gpu(small, 1), 0U);
}

TEST(ReductionKernel, RefusesTypesThatItHasNot) {
  const ReductionJob job;
  EXPECT_THROW(run_reduction(job, DType::kFloat16, DType::kFloat), TypeError);
  EXPECT_THROW(run_reduction(job, DType::kFloat, DType::kFloat16), TypeError);
}

}  // namespace
}  // namespace penstock::kernels
