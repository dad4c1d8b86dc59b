#include "ops/host/callback.h"

#include <gtest/gtest.h>

#include "schema/registry.h"

namespace penstock {
void register_callback(Registry&);
namespace {

class CallbackTest : public ::testing::Test {
 protected:
  void SetUp() override { register_callback(registry_); }
  std::unique_ptr<Operator> make(int64_t id, int64_t outputs) {
    return registry_.at("callback").make({.args = {{"id", id}, {"num_outputs", outputs}}});
  }
  static void run(const Operator& op, BatchContext& batch) { op.traits().batch->run(batch); }
  Registry registry_;
};

TEST_F(CallbackTest, CallsTheFunctionEvenAfterItsNumberWasReleased) {
  int calls = 0;
  const int64_t id = keep_callback([&](BatchContext& batch) {
    ++calls;
    batch.outputs.resize(2);
  });
  const auto op = make(id, 2);
  release_callback(id);
  BatchContext batch;
  run(*op, batch);
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(make(id, 2), ArgumentError);
}

TEST_F(CallbackTest, RefusesAnotherNumberOfOutputsThanWasSaid) {
  const int64_t id = keep_callback([](BatchContext& batch) { batch.outputs.resize(1); });
  const auto op = make(id, 2);
  BatchContext batch;
  EXPECT_THROW(run(*op, batch), DataError);
  EXPECT_EQ(registry_.at("callback").num_outputs({.args = {{"num_outputs", int64_t{3}}}}), 3);
  release_callback(id);
}

}  // namespace
}  // namespace penstock
