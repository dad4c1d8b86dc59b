#include <gtest/gtest.h>

#include <atomic>

#include "ops/host/callback.h"
#include "pipeline/folder.h"

namespace penstock {
namespace {

using test::expect_in;
using test::Folder;
using test::labels_of;
using test::message_of;

/// A reader whose labels are handed over; a serial function sees them before and after.
class ConsumerStepTest : public ::testing::Test {
 protected:
  Pipeline make(PipelineOptions options) {
    id_ = keep_callback([this](BatchContext& batch) {
      ++calls_;
      batch.outputs.push_back(*batch.inputs[0]);
    });
    Graph graph;
    const auto read = graph.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
    const auto before = graph.add({.op = "callback", .inputs = {read[1]}, .args = {{"id", id_}}});
    const auto handed = graph.add({.op = "consumer_step", .inputs = {before[0]}, .args = {{"id", int64_t{5}}}});
    const auto after = graph.add({.op = "callback", .inputs = {handed[0]}, .args = {{"id", id_}}});
    graph.set_outputs({read[0], after[0]});
    return Pipeline(graph, options);
  }
  ~ConsumerStepTest() override { release_callback(id_); }

  static ConsumerStep stopped(Pipeline& pipe) {
    while (!pipe.wait_for(std::chrono::milliseconds(10)))
      ;
    return pipe.consumer_step().value();
  }

  const Folder folder_{8};
  std::atomic<int> calls_ = 0;
  int64_t id_ = 0;
};

TEST_F(ConsumerStepTest, BatchesStopUntilTheirOutputsAreHandedBack) {
  Pipeline pipe = make({.batch_size = 2, .prefetch = 3});
  for (int i = 0; i < 3; ++i) pipe.schedule();
  for (int i = 0; i < 3; ++i) {
    ConsumerStep consumer_step = stopped(pipe);
    EXPECT_EQ(consumer_step.number, 5);
    EXPECT_EQ(consumer_step.samples, 2);
    pipe.end_consumer_step(std::move(consumer_step.inputs));
    EXPECT_EQ(labels_of(pipe.wait()), (std::vector<int>{2 * i, 2 * i + 1}));
  }
  EXPECT_EQ(calls_, 6);
}

TEST_F(ConsumerStepTest, ABatchThatStopsIsNotDone) {
  Pipeline pipe = make({.batch_size = 2});
  EXPECT_THROW(pipe.end_consumer_step(std::vector<TensorList>{}), ArgumentError);
  pipe.schedule();
  stopped(pipe);
  expect_in("the batch is handed over", message_of<ArgumentError>([&] { pipe.wait(); }));
  pipe.end_consumer_step(std::vector<TensorList>{});
  expect_in("there are 0 outputs where 1 were said", message_of<DataError>([&] { pipe.wait(); }));
}

TEST_F(ConsumerStepTest, AnErrorInPlaceOfOutputsComesOutAndTheNextBatchIsFine) {
  Pipeline pipe = make({.batch_size = 2});
  for (int i = 0; i < 2; ++i) pipe.schedule();
  stopped(pipe);
  pipe.end_consumer_step(std::make_exception_ptr(DataError("no such thing")));
  expect_in("no such thing", message_of<DataError>([&] { pipe.wait(); }));
  pipe.end_consumer_step(stopped(pipe).inputs);
  EXPECT_EQ(labels_of(pipe.wait()), (std::vector<int>{2, 3}));
}

TEST_F(ConsumerStepTest, BatchesThatStopCanBeForgotten) {
  Pipeline pipe = make({.batch_size = 2});
  for (int i = 0; i < 2; ++i) pipe.schedule();
  stopped(pipe);
  pipe.seek(3);
  pipe.schedule();
  pipe.end_consumer_step(stopped(pipe).inputs);
  EXPECT_EQ(labels_of(pipe.wait()), (std::vector<int>{6, 7}));
  pipe.schedule();  // and dropped with the pipeline
}

TEST_F(ConsumerStepTest, TheStateAfterFewerBatchesThanWereTakenIsTheirs) {
  Pipeline pipe = make({.batch_size = 2});
  const std::string begun = pipe.state();
  pipe.schedule();
  pipe.end_consumer_step(stopped(pipe).inputs);
  pipe.wait();
  EXPECT_EQ(pipe.state(0), begun);
  EXPECT_NE(pipe.state(), begun);
  EXPECT_EQ(pipe.state(1), pipe.state());
}

}  // namespace
}  // namespace penstock
