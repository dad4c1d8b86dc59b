// What becomes of tensors on virtual devices.
#include <gtest/gtest.h>
#include <penstock/parallel.h>

#include <algorithm>

#include "parallel/tensors.h"

namespace penstock::parallel {
namespace {

TEST(Scatter, CutsAlongAnyDimensionAndGatherUndoesIt) {
  Group group({{.index = 0}, {.index = 1}, {.index = 2}});
  const Tensor whole = counting({4, 5, 6});
  for (int dim = -3; dim < 3; ++dim)
    for (const auto kind : {Split::Kind::kChunk, Split::Kind::kEven, Split::Kind::kWeights}) {
      const std::vector<Tensor> parts = group.scatter(whole, {.kind = kind, .weights = {1, 0, 2}}, dim);
      EXPECT_EQ(parts.size(), dim == -3 || dim == 0 ? (kind == Split::Kind::kChunk ? 2 : 3) : 3);
      const Tensor back = group.gather(parts, kHost, dim);
      EXPECT_EQ(back.view.shape, whole.view.shape);
      EXPECT_EQ(values_of(back), values_of(whole)) << dim;
    }
  const std::vector<Tensor> columns = group.scatter(counting({2, 3}), {}, 1);
  EXPECT_EQ(values_of(columns[2]), (std::vector<float>{2, 5}));
}

TEST(Scatter, RowsShareTheMemoryOfTheWhole) {
  Group group({{.index = 0}, {.index = 1}});
  const Tensor whole = counting({3, 2});
  const std::vector<Tensor> parts = group.scatter(whole);
  EXPECT_EQ(parts[0].view.data, whole.view.data);
  EXPECT_EQ(parts[1].view.as<float>(), whole.view.as<float>() + 4);
  EXPECT_EQ(parts[1].buffer.owner, whole.buffer.owner);
}

TEST(Scatter, EmptyInputsReachEveryDevice) {
  Group group({{.index = 0}, {.index = 1}});
  const Tensor out = group.apply(counting({0, 2}), [](Replica&, const Tensor& part) { return part; });
  EXPECT_EQ(out.view.shape, (Shape{0, 2}));
  EXPECT_EQ(group.scatter(counting({2, 0}), {}, 0).size(), 2);
}

TEST(Scatter, RefusesADimensionThatIsNotThere) {
  Group group({{.index = 0}, {.index = 1}});
  EXPECT_THROW(group.scatter(counting({})), ArgumentError);
  EXPECT_THROW(group.scatter(counting({2, 2}), {}, 2), ArgumentError);
  EXPECT_THROW(group.scatter(counting({2, 2}), {}, -3), ArgumentError);
  EXPECT_THROW(group.place(counting({2}), 2), IndexError);
}

TEST(Gather, ScalarsBecomeAVector) {
  Group group({{.index = 0}, {.index = 1}});
  const Tensor out = group.gather(std::vector{counting({}, 3), counting({}, 8)}, kHost);
  EXPECT_EQ(out.view.shape, (Shape{2}));
  EXPECT_EQ(values_of(out), (std::vector<float>{3, 8}));
}

TEST(Gather, RefusesWhatDoesNotFit) {
  Group group({{.index = 0}, {.index = 1}});
  EXPECT_THROW(group.gather({}, kHost), ArgumentError);
  EXPECT_THROW(group.gather(std::vector{counting({2, 3}), counting({2, 4})}, kHost), ArgumentError);
  EXPECT_THROW(group.gather(std::vector{counting({2}), counting({2, 2})}, kHost), ArgumentError);
  EXPECT_THROW(group.gather(std::vector{counting({2}), counting<double>({2})}, kHost), TypeError);
  EXPECT_THROW(group.gather(std::vector{counting({2})}, DeviceId::parse("cuda:0")), ArgumentError);
}

TEST(Broadcast, TheFirstDeviceKeepsTheTensorAndOthersGetCopies) {
  Group group({{.index = 0}, {.index = 1}, {.index = 2}});
  const Tensor whole = counting({4, 3});
  const std::vector<Tensor> all = group.broadcast(whole);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].view.data, whole.view.data);
  for (int i : {1, 2}) {
    EXPECT_NE(all[i].view.data, whole.view.data);
    EXPECT_EQ(values_of(all[i]), values_of(whole));
  }
  EXPECT_EQ(group.transport(), "host memory");
}

TEST(Reduce, SumsInTheOrderOfThePartsAndRoundsOnce) {
  Group group({{.index = 0}, {.index = 1}, {.index = 2}});
  const auto sum = [&](const std::vector<Tensor>& parts) { return group.reduce(parts, Reduction::kSum, kHost); };
  // In float, 1e8 + 1 is 1e8: the order shows.
  const std::vector<Tensor> parts{tensor_of<float>({2}, {1e8F, 1}), tensor_of<float>({2}, {-1e8F, 1e8F}),
                                  tensor_of<float>({2}, {1, -1e8F})};
  EXPECT_EQ(values_of(sum(parts)), (std::vector<float>{1, 0}));
  // In half precision each step of 2048 + 1 would round to 2048.
  const std::vector<Tensor> halves{tensor_of({1}, std::vector{float16(2048.F)}),
                                   tensor_of({1}, std::vector{float16(1.F)}),
                                   tensor_of({1}, std::vector{float16(1.F)})};
  EXPECT_EQ(static_cast<float>(values_of<float16>(sum(halves))[0]), 2050.F);
  const std::vector<Tensor> brains{tensor_of({1}, std::vector{bfloat16(256.F)}),
                                   tensor_of({1}, std::vector{bfloat16(1.F)}),
                                   tensor_of({1}, std::vector{bfloat16(1.F)})};
  EXPECT_EQ(static_cast<float>(values_of<bfloat16>(sum(brains))[0]), 258.F);
  EXPECT_EQ(values_of<int8_t>(sum({tensor_of<int8_t>({1}, {100}), tensor_of<int8_t>({1}, {100})})),
            (std::vector<int8_t>{-56}));
}

TEST(Reduce, EveryElementOfLongTensorsIsAveraged) {
  Group group({{.index = 0}, {.index = 1}});
  const Shape shape{7, 1000};  // not a multiple of the block that is summed at a time
  const Tensor mean = group.reduce(std::vector{counting(shape, 2), counting(shape, 4)}, Reduction::kMean, kHost);
  EXPECT_EQ(values_of(mean), values_of(counting(shape, 3)));
  EXPECT_EQ(values_of<double>(group.reduce(std::vector{tensor_of<double>({1}, {1}), tensor_of<double>({1}, {2})},
                                           Reduction::kMean, kHost)),
            (std::vector<double>{1.5}));
}

TEST(Reduce, RefusesWhatHasNoSum) {
  Group group({{.index = 0}, {.index = 1}});
  const auto reduce = [&](const Tensor& a, const Tensor& b, Reduction reduction = Reduction::kSum) {
    return group.reduce(std::vector{a, b}, reduction, kHost);
  };
  EXPECT_THROW(reduce(counting({2}), counting({3})), ArgumentError);
  EXPECT_THROW(reduce(counting({2}), counting<double>({2})), TypeError);
  EXPECT_THROW(reduce(tensor_of<int32_t>({1}, {1}), tensor_of<int32_t>({1}, {2}), Reduction::kMean), TypeError);
  EXPECT_THROW(group.reduce({}, Reduction::kSum, kHost), ArgumentError);
  Tensor flags = counting<uint8_t>({2});
  flags.view.dtype = DType::kBool;
  EXPECT_THROW(reduce(flags, flags), TypeError);
}

}  // namespace
}  // namespace penstock::parallel
