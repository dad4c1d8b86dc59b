#include <penstock/tensor.h>

#include <gtest/gtest.h>

#include <numeric>

#include <penstock/error.h>

#include "core/message.h"

namespace penstock {
namespace {

/// A tensor of bytes counting up from `first`, in memory of its own.
Tensor counting(const Shape& shape, const Layout& layout = {}, int first = 0, std::string source = {}) {
  auto memory = std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(shape.volume()));
  std::iota(memory->begin(), memory->end(), static_cast<uint8_t>(first));
  TensorView view{{DType::kUInt8, shape, layout}, reinterpret_cast<std::byte*>(memory->data())};
  return {{memory, view.data, memory->size()}, view, std::move(source)};
}

/// A batch of pairs in one block: {0, 1}, {2, 3}, ...
TensorList pairs(int64_t samples) {
  return TensorList(counting({2 * samples}).buffer, samples, {DType::kUInt8, {2}, "X"});
}

int value(const TensorView& view, int i = 0) { return view.as<uint8_t>()[i]; }

TEST(TensorDesc, SizeInBytes) {
  EXPECT_EQ((TensorDesc{DType::kFloat, {2, 3}, {}}).nbytes(), 24u);
  EXPECT_EQ((TensorDesc{DType::kInt64, {}, {}}).nbytes(), 8u);
  EXPECT_EQ((TensorDesc{DType::kUInt8, {0, 3}, {}}).nbytes(), 0u);
}

TEST(TensorList, OfABlockLiesSampleAfterSample) {
  const TensorList list = pairs(3);
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(value(list[2]), 4);
  EXPECT_EQ(value(list.at(1).view, 1), 3);
  EXPECT_EQ(value(TensorList(counting({12}).buffer, 3, {DType::kInt16, {2}, {}})[2]), 8);
  EXPECT_TRUE(list.uniform());
  EXPECT_TRUE(list.contiguous());
  EXPECT_EQ(list.blocks().size(), 1u);
  EXPECT_EQ(list.ndim(), 1);
  EXPECT_EQ(list.layout(), "X");
}

TEST(TensorList, ABlockThatIsTooSmallIsRefused) {
  const TensorDesc each{DType::kUInt8, {3}, {}};
  EXPECT_NO_THROW(TensorList(counting({9}).buffer, 3, each));
  EXPECT_THROW(TensorList(counting({8}).buffer, 3, each), ArgumentError);
  EXPECT_THROW(TensorList(counting({9}).buffer, -1, each), ArgumentError);
  EXPECT_THROW(TensorList(counting({9}).buffer, int64_t{1} << 62, {DType::kFloat, {1}, {}}), ArgumentError);
}

TEST(TensorList, OfTensorsMayBeRagged) {
  const TensorList list({counting({2, 3}, "HW"), counting({4, 1}, "HW")});
  EXPECT_FALSE(list.uniform());
  EXPECT_FALSE(list.contiguous());
  EXPECT_EQ(list.blocks().size(), static_cast<size_t>(list.size()));
  EXPECT_TRUE(TensorList().blocks().empty());
  EXPECT_FALSE(TensorList({counting({2, 3}), counting({3, 2})}).uniform());
  EXPECT_EQ(list[1].shape, (Shape{4, 1}));
  EXPECT_NE(test::message_of<Error>([&] { list.as_tensor(); }).find("must have the same shape"), std::string::npos);
  EXPECT_THROW(list.as_tensor(), DataError);
}

TEST(TensorList, OfTensorsHasOneTypeRankAndLayout) {
  Tensor other = counting({2});
  other.view.dtype = DType::kInt8;
  const auto build = [](Tensor a, Tensor b) { return TensorList({std::move(a), std::move(b)}); };
  EXPECT_THROW(build(counting({2}), other), TypeError);
  EXPECT_EQ(test::message_of<Error>([&] { build(counting({2}), other); }),
            "Tensors cannot have different data types. Tensor at position 1 has type int8, expected uint8");
  EXPECT_THROW(build(counting({2}), counting({2, 1})), ArgumentError);
  EXPECT_THROW(build(counting({2, 1}, "HW"), counting({2, 1}, "WH")), TypeError);
  EXPECT_EQ(build(counting({2, 1}, "HW"), counting({2, 1}))[1].layout, "HW");
}

TEST(TensorList, SamplesKeepTheMemoryAlive) {
  auto list = std::make_unique<TensorList>(std::vector{counting({2}, {}, 7), counting({2}, {}, 9)});
  const Tensor second = list->at(1);
  const Tensor whole = list->as_tensor();
  const Tensor shared = pairs(4).as_tensor();
  list.reset();
  EXPECT_EQ(value(second.view), 9);
  EXPECT_EQ(value(whole.view, 3), 10);
  EXPECT_EQ(value(shared.view, 7), 7);
}

TEST(TensorList, IndicesAreChecked) {
  const TensorList list = pairs(2);
  EXPECT_THROW(list.at(2), IndexError);
  EXPECT_THROW(list.at(-1), IndexError);
  EXPECT_THROW(list.select(std::vector<int64_t>{0, 2}), IndexError);
}

TEST(TensorList, AsTensorTakesABlockAsItIs) {
  const TensorList list = pairs(3);
  const Tensor whole = list.as_tensor();
  EXPECT_EQ(whole.view.shape, (Shape{3, 2}));
  EXPECT_EQ(whole.view.layout, "NX");
  EXPECT_EQ(whole.view.data, list[0].data);
}

TEST(TensorList, AsTensorGathersScatteredSamples) {
  const TensorList chosen = pairs(4).select(std::vector<int64_t>{3, 0, 0});
  EXPECT_FALSE(chosen.contiguous());
  const Tensor whole = chosen.as_tensor();
  ASSERT_EQ(whole.view.shape, (Shape{3, 2}));
  for (const auto& [i, expected] : {std::pair{0, 6}, {1, 7}, {2, 0}, {5, 1}}) EXPECT_EQ(value(whole.view, i), expected);
}

TEST(TensorList, AsTensorOfNothing) {
  EXPECT_EQ(TensorList().as_tensor().view.shape, Shape{0});
  const Tensor none = pairs(0).as_tensor();
  EXPECT_EQ(none.view.shape, Shape{0});
  EXPECT_TRUE(none.view.layout.empty());
  EXPECT_EQ(none.view.dtype, DType::kUInt8);
}

TEST(TensorList, LayoutMustFitTheRank) {
  TensorList list = pairs(2);
  list.set_layout("W");
  EXPECT_EQ(list[1].layout, "W");
  EXPECT_THROW(list.set_layout("HW"), ArgumentError);
  list.set_layout("");
  EXPECT_TRUE(list[0].layout.empty());
}

TEST(TensorList, ACopyIsNamedApart) {
  const TensorList list = pairs(2);
  TensorList copy = list;
  copy.set_layout("W");
  EXPECT_EQ(copy[1].layout, Layout("W"));
  EXPECT_EQ(list[1].layout, Layout("X"));
  EXPECT_EQ(list.layout(), Layout("X"));
  EXPECT_EQ(copy[1].data, list[1].data);
}

TEST(TensorList, SourcesTravelWithTheirSamples) {
  const TensorList list({counting({1}, {}, 0, "a"), counting({1}), counting({1}, {}, 0, "c")});
  EXPECT_EQ(list.source(0), "a");
  EXPECT_EQ(list.source(1), "");
  EXPECT_EQ(list.at(2).source, "c");
  EXPECT_EQ(list.select(std::vector<int64_t>{2, 0}).source(0), "c");
  EXPECT_EQ(list.source(3), "");
  TensorList block = pairs(3);
  EXPECT_EQ(block.source(0), "");
  block.set_sources(Sources({"x", "", "z"}));
  const TensorList chosen = block.select(std::vector<int64_t>{2, 0});
  block = {};
  EXPECT_EQ(chosen.source(0), "z");
  EXPECT_EQ(chosen.source(1), "x");
  EXPECT_EQ(Sources({"", ""}).texts().size(), 0);
}

TEST(TensorList, Head) {
  EXPECT_EQ(pairs(5).head(2).size(), 2);
  EXPECT_TRUE(pairs(5).head(2).contiguous());
  EXPECT_EQ(pairs(2).head(9).size(), 2);
  EXPECT_EQ(pairs(2).head(-1).size(), 0);
}

}  // namespace
}  // namespace penstock
