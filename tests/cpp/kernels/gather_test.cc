// The GPU's kernel that gathers, its threads played by the host's.
#include "kernels/gather/job.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/convert.h"
#include "core/random.h"
#include "cuda/kernels/gather.cuh"

namespace penstock::kernels {
namespace {

/// Elements that a result with these extents takes of an input of 60, some of them the fill value.
struct Gathering {
  explicit Gathering(const std::vector<int32_t>& extents, int channel_axis) {
    job.ndim = static_cast<int>(extents.size());
    job.channel_axis = channel_axis;
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      std::vector<int32_t>& offsets = tables.emplace_back();
      for (int32_t i = 0; i < extents[axis]; ++i) {
        const uint64_t drawn = mix64(axis * 1000 + static_cast<uint64_t>(i));
        offsets.push_back(drawn % 7 == 0 ? kOutside : static_cast<int32_t>(drawn % (60 / extents.size())));
      }
      job.extents[axis] = extents[axis];
      elements *= static_cast<size_t>(extents[axis]);
    }
    for (size_t axis = 0; axis < extents.size(); ++axis) job.offsets[axis] = tables[axis].data();
  }

  /// Element by element.
  template <class In, class Out>
  std::vector<Out> expected(const std::vector<In>& in) const {
    std::vector<Out> out;
    for (size_t i = 0; i < elements; ++i) {
      size_t left = i;
      int32_t offset = 0, channel = 0;
      bool outside = false;
      for (int axis = job.ndim - 1; axis >= 0; --axis) {
        const auto extent = static_cast<size_t>(job.extents[axis]);
        const auto index = static_cast<int32_t>(left % extent);
        left /= extent;
        const int32_t step = job.offsets[axis][index];
        outside |= step == kOutside;
        offset += step;
        if (axis == job.channel_axis) channel = index;
      }
      if (outside)
        out.push_back(convert_sat<Out>(job.fills ? job.fills[channel] : 0.f));
      else if (job.mean)
        out.push_back(convert_sat<Out>((static_cast<float>(in[static_cast<size_t>(offset)]) - job.mean[channel]) *
                                       job.inverse[channel]));
      else
        out.push_back(convert_sat<Out>(in[static_cast<size_t>(offset)]));
    }
    return out;
  }

  GatherJob job;
  size_t elements = 1;
  std::vector<std::vector<int32_t>> tables;
};

/// Results that begin between words, too; nothing around them is touched.
template <class In, class Out, class Index = int32_t>
void expect_gathered(const Gathering& gathering) {
  std::vector<In> in(60);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<In>(mix64(i) % 200);
  const std::vector<Out> expected = gathering.expected<In, Out>(in);
  constexpr Out kAround = 99;
  for (const size_t before : {16, 17}) {
    std::vector<Out> found(expected.size() + 32, kAround), whole = found;
    std::copy(expected.begin(), expected.end(), whole.begin() + static_cast<int64_t>(before));
    GatherJob job = gathering.job;
    job.in = in.data();
    job.out = found.data() + before;
    const std::array<GatherJob, 2> jobs = {GatherJob{.ndim = 1}, job};  // whose first one has no elements
    cuda::on_threads::run_grid(2, 2, cuda::kGatherThreads, [&] { cuda::gather_kernel<In, Out, Index>(jobs.data()); });
    EXPECT_EQ(found, whole) << gathering.job.ndim << " axes, " << before << " elements before";
  }
}

TEST(GatherTest, ElementsAreThoseOfTheirOffsets) {
  const std::vector<std::vector<int32_t>> all = {
      {}, {1}, {2}, {5000}, {7, 3}, {700, 3, 3}, {3, 70, 11}, {2, 1, 9, 3}, {2, 3, 1, 2, 5}, {2, 3, 2, 1, 2, 3}};
  for (const std::vector<int32_t>& extents : all) {
    const Gathering gathering(extents, -1);
    expect_gathered<uint8_t, uint8_t>(gathering);
    expect_gathered<uint8_t, float>(gathering);
    expect_gathered<int32_t, int32_t, int64_t>(gathering);
    expect_gathered<double, double>(gathering);
  }
}

TEST(GatherTest, FactorsAndFillValuesAreThoseOfTheChannel) {
  const std::vector<float> mean = {1, 2, 3}, inverse = {0.5f, 0.25f, 2}, fills = {10, 20, 30};
  const std::vector<int32_t> planes = {3, 40, 5}, pixels = {40, 5, 3}, between = {40, 3, 5};
  for (const auto& [extents, channel] : {std::pair{planes, 0}, std::pair{pixels, 2}, std::pair{between, 1}}) {
    Gathering gathering(extents, channel);
    gathering.job.fills = fills.data();
    expect_gathered<uint8_t, uint8_t>(gathering);
    gathering.job.mean = mean.data();
    gathering.job.inverse = inverse.data();
    expect_gathered<uint8_t, uint8_t>(gathering);
    expect_gathered<uint8_t, float>(gathering);
  }
}

}  // namespace
}  // namespace penstock::kernels
