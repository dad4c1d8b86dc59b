#include "pipeline/list_builder.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/host_pool.h"

namespace penstock {
namespace {

class ListBuilderTest : public testing::Test {
 protected:
  ListBuilder builder(int64_t samples, bool ragged) {
    return {[this](size_t bytes) {
              asked_.push_back(bytes);
              return pool_->allocate(bytes);
            },
            samples, ragged};
  }
  static void put(ListBuilder& builder, size_t slot, int64_t elements) {
    TensorView view{{DType::kUInt8, {elements}, {}}};
    view.data = builder.place(slot, view.nbytes());
    std::fill_n(view.data, elements, static_cast<std::byte>(slot));
    builder.set(slot, view, {});
  }

  std::shared_ptr<HostPool> pool_ = std::make_shared<HostPool>();
  std::vector<size_t> asked_;
};

TEST_F(ListBuilderTest, UniformBatchIsOneBlock) {
  ListBuilder made = builder(3, false);
  for (size_t i = 0; i < 3; ++i) put(made, i, 1000);
  EXPECT_TRUE(made.finish().contiguous());
  EXPECT_FALSE(made.ragged());
  EXPECT_EQ(asked_, std::vector<size_t>{3000});
}

TEST_F(ListBuilderTest, RaggedBatchIsFoundOut) {
  ListBuilder made = builder(3, false);
  for (size_t i = 0; i < 3; ++i) put(made, i, i == 1 ? 1500 : 1000);
  EXPECT_EQ(made.finish()[1].shape, Shape{1500});
  EXPECT_TRUE(made.ragged());
}

TEST_F(ListBuilderTest, ExpectedRaggedBatchTakesNoMoreThanItHolds) {
  ListBuilder made = builder(3, true);
  for (size_t i = 0; i < 3; ++i) put(made, i, static_cast<int64_t>(1000 + 100 * i));
  const TensorList list = made.finish();
  EXPECT_TRUE(made.ragged());
  EXPECT_EQ(asked_, (std::vector<size_t>{1000, 1100, 1200}));
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(list[i].data[999], static_cast<std::byte>(i));
}

TEST_F(ListBuilderTest, UniformBatchThatWasExpectedRaggedIsStillOneTensor) {
  ListBuilder made = builder(3, true);
  for (size_t i = 0; i < 3; ++i) put(made, i, 1000);
  const Tensor whole = made.finish().as_tensor();
  EXPECT_FALSE(made.ragged());
  EXPECT_EQ(whole.view.shape, (Shape{3, 1000}));
  EXPECT_EQ(whole.view.data[2999], std::byte{2});
}

TEST_F(ListBuilderTest, MissingSamplesDoNotMakeABatchRagged) {
  ListBuilder made = builder(3, false);
  put(made, 0, 1000);
  put(made, 2, 1000);
  EXPECT_EQ(made.finish().size(), 2);
  EXPECT_FALSE(made.ragged());
}

}  // namespace
}  // namespace penstock
