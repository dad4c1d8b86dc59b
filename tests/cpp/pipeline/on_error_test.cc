#include <gtest/gtest.h>

#include "ops/host/callback.h"
#include "pipeline/folder.h"

namespace penstock {
namespace {

using test::expect_in;
using test::Folder;
using test::labels_of;
using test::message_of;

class OnErrorTest : public ::testing::Test {
 protected:
  OnErrorTest() : folder_(8) { folder_.spoil(5); }
  Pipeline pipeline(OnError on_error, std::map<std::string, ArgValue> reader = {}) {
    return Pipeline(folder_.decoding(std::move(reader)), {.batch_size = 4, .on_error = on_error});
  }
  Folder folder_;
};

TEST_F(OnErrorTest, RaiseNamesOperatorSampleFileAndTheUsersLine) {
  Pipeline pipe = pipeline(OnError::kRaise);
  pipe.run();
  const std::string message = message_of<DataError>([&] { pipe.run(); });
  expect_in("[decoders.image]", message);
  expect_in("sample 1", message);
  expect_in("005.jpg", message);
  expect_in("train.py:7", message);
}

TEST_F(OnErrorTest, AfterRaiseTheSamePipelineGoesOn) {
  Pipeline pipe = pipeline(OnError::kRaise);
  pipe.run();
  EXPECT_THROW(pipe.run(), DataError);
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_THROW(pipe.run(), DataError);
}

TEST_F(OnErrorTest, ReplaceKeepsBatchesFullAndIsTheSameEveryTime) {
  const auto second_batch = [&] {
    Pipeline pipe = pipeline(OnError::kReplace);
    pipe.run();
    return labels_of(pipe.run());
  };
  const std::vector<int> labels = second_batch();
  EXPECT_EQ(labels.size(), 4u);
  EXPECT_EQ(labels[0], 4);
  EXPECT_NE(labels[1], 5);
  EXPECT_EQ(labels, second_batch());
}

TEST_F(OnErrorTest, SkipLeavesTheSampleOut) {
  Pipeline pipe = pipeline(OnError::kSkip);
  pipe.run();
  const Batch batch = pipe.run();
  EXPECT_EQ(labels_of(batch), (std::vector<int>{4, 6, 7}));
  EXPECT_EQ(batch.outputs[0].size(), 3);
  EXPECT_EQ(batch.indices, (std::vector<int64_t>{4, 6, 7}));
}

TEST_F(OnErrorTest, ZeroMarksTheSampleInvalid) {
  Pipeline pipe = pipeline(OnError::kZero);
  for (int epoch = 0; epoch < 10; ++epoch) {  // in memory that held other samples, too
    pipe.run();
    const Batch batch = pipe.run();
    EXPECT_EQ(batch.valid, (std::vector<uint8_t>{1, 0, 1, 1}));
    EXPECT_EQ(batch.outputs[0][1].shape, batch.outputs[0][0].shape);
    for (size_t i = 0; i < batch.outputs[0][1].nbytes(); ++i) ASSERT_EQ(batch.outputs[0][1].data[i], std::byte{0});
  }
}

TEST_F(OnErrorTest, FailuresNameExactlyThePlantedFiles) {
  Pipeline pipe = pipeline(OnError::kReplace);
  for (int i = 0; i < 2; ++i) pipe.run();
  const auto failures = pipe.failures();
  ASSERT_FALSE(failures.empty());
  for (const Failure& failure : failures) {
    EXPECT_EQ(failure.index, 5);
    EXPECT_EQ(failure.stage, "decoders.image");
    expect_in("005.jpg", failure.source);
    EXPECT_FALSE(failure.reason.empty());
  }
}

TEST_F(OnErrorTest, AVanishedFileIsNamed) {
  folder_.remove(2);
  Pipeline pipe = pipeline(OnError::kRaise);
  const std::string message = message_of<DataError>([&] { pipe.run(); });
  expect_in("[readers.file]", message);
  expect_in("002.jpg", message);
}

TEST_F(OnErrorTest, WhenEverythingIsBrokenReplaceGivesUp) {
  for (int i = 0; i < 8; ++i) folder_.spoil(i);
  Pipeline pipe = pipeline(OnError::kReplace);
  const std::string message = message_of<DataError>([&] { pipe.run(); });
  expect_in(".jpg", message);
  expect_in("on_error=\"replace\" does not help: 16 other samples were tried", message);
}

TEST_F(OnErrorTest, WhereASampleCannotBeReplacedTheErrorSaysSo) {
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
  const std::vector<int64_t> order = {0, 1, 2, 3};
  const Node turned = graph.add({.op = "permute_batch", .inputs = {read[0]}, .args = {{"indices", order}}})[0];
  graph.set_outputs(graph.add({.op = "decoders.image", .inputs = {turned}}));
  Pipeline pipe(graph, {.batch_size = 4, .on_error = OnError::kReplace});
  pipe.run();
  expect_in("behind an operator that takes whole batches", message_of<DataError>([&] { pipe.run(); }));
}

TEST_F(OnErrorTest, WhenABatchIsAllBrokenThereAreNoZeroes) {
  for (int i = 0; i < 4; ++i) folder_.spoil(i);
  Pipeline pipe = pipeline(OnError::kZero);
  const std::string message = message_of<DataError>([&] { pipe.run(); });
  expect_in("000.jpg", message);
  expect_in("on_error=\"zero\" does not help", message);
  EXPECT_EQ(pipe.run().outputs[0].size(), 4);
}

TEST_F(OnErrorTest, WhenABatchIsAllBrokenSkipGivesAnEmptyOne) {
  for (int i = 0; i < 4; ++i) folder_.spoil(i);
  Pipeline pipe = pipeline(OnError::kSkip);
  EXPECT_EQ(pipe.run().outputs[0].size(), 0);
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{4, 6, 7}));
}

TEST_F(OnErrorTest, ReplaceNeedsAReader) {
  Graph graph;
  graph.set_outputs(graph.add({.op = "external_source", .name = "in"}));
  EXPECT_THROW(Pipeline(graph, {.batch_size = 1, .on_error = OnError::kReplace}), ArgumentError);
}

TEST_F(OnErrorTest, WhatFailsBehindASampleThatWasReplacedCannotBeReplaced) {
  folder_.spoil(0);
  const int64_t id = keep_callback([](BatchContext& batch) { batch.outputs = {*batch.inputs[0]}; });
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
  const Node image = graph.add({.op = "decoders.image", .inputs = {read[0]}})[0];
  const Node same = graph.add({.op = "callback", .inputs = {image}, .args = {{"id", id}}})[0];
  graph.set_outputs(graph.add({.op = "crop", .inputs = {same}, .args = {{"crop", std::vector<double>{900, 900}}}}));
  Pipeline pipe(graph, {.batch_size = 4, .on_error = OnError::kReplace});
  expect_in("behind an operator that takes whole batches", message_of<DataError>([&] { pipe.run(); }));
  release_callback(id);
}

TEST_F(OnErrorTest, ErrorsOfOtherLibrariesNameTheOperator) {
  const int64_t id = keep_callback([](BatchContext&) { throw std::runtime_error("a library's words"); });
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
  graph.set_outputs(graph.add({.op = "callback", .inputs = {read[0]}, .args = {{"id", id}}, .origin = "  train.py:9"}));
  Pipeline pipe(graph, {.batch_size = 4});
  const std::string message = message_of<InternalError>([&] { pipe.run(); });
  for (const char* part : {"[callback]", "a library's words", "train.py:9"}) expect_in(part, message);
  release_callback(id);
}

}  // namespace
}  // namespace penstock
