#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/host_pool.h"
#include "ops/host/callback.h"
#include "order/order.h"
#include "pipeline/depth.h"
#include "pipeline/folder.h"

namespace penstock {
namespace {

using test::bytes_of;
using test::expect_in;
using test::Folder;
using test::labels_of;
using test::message_of;

TEST(Pipeline, SamplesComeInTheOrderThatTheReaderSays) {
  const Folder folder(7);
  Pipeline pipe(folder.decoding(), {.batch_size = 3});
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{6, 0, 1}));
}

TEST(Pipeline, ShuffledEpochsArePermutationsAndDiffer) {
  const Folder folder(12);
  Pipeline pipe(folder.decoding({{"random_shuffle", true}}), {.batch_size = 4});
  std::set<std::vector<int>> orders;
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<int> seen;
    for (int step = 0; step < 3; ++step)
      for (int label : labels_of(pipe.run())) seen.push_back(label);
    orders.insert(seen);
    EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 12u);
  }
  EXPECT_EQ(orders.size(), 4u);
}

TEST(Pipeline, ResultsDependOnNeitherThreadsNorDepthNorBatchSize) {
  const Folder folder(10);
  const auto first_ten = [&](PipelineOptions options) {
    Pipeline pipe(folder.decoding({{"random_shuffle", true}}), options);
    std::string bytes;
    for (int done = 0; done < 10; done += options.batch_size) bytes += bytes_of(pipe.run().outputs[0]);
    return bytes;
  };
  const std::string reference = first_ten({.batch_size = 5, .num_threads = 1, .prefetch = 1});
  EXPECT_EQ(first_ten({.batch_size = 5, .prefetch = 4}), reference);
  EXPECT_EQ(first_ten({.batch_size = 1}), reference);
  EXPECT_EQ(first_ten({.batch_size = 10, .push_regions = false}), reference);
}

/// What two operators draw in two shuffled epochs, by epoch, label and operator.
std::map<std::tuple<int, int, int>, float> drawn(const Folder& folder, const PipelineOptions& options) {
  Graph graph;
  auto args = folder.reader_args();
  args["random_shuffle"] = true;
  const auto read = graph.add({.op = "readers.file", .args = std::move(args)});
  graph.set_outputs({read[1], graph.add({.op = "random.uniform"})[0], graph.add({.op = "random.uniform"})[0]});
  Pipeline pipe(graph, options);
  std::map<std::tuple<int, int, int>, float> numbers;
  for (int taken = 0; taken < 12; taken += options.batch_size) {
    const Batch batch = pipe.run();
    for (int i = 0; i < options.batch_size; ++i)
      for (int op = 0; op < 2; ++op)
        numbers[{taken / 6, labels_of(batch, 0)[static_cast<size_t>(i)], op}] =
            *batch.outputs[static_cast<size_t>(op) + 1][i].as<float>();
  }
  return numbers;
}

TEST(Pipeline, RandomNumbersAreThoseOfSeedEpochSampleAndOperator) {
  const Folder folder(6);
  const auto numbers = drawn(folder, {.batch_size = 3});
  std::set<float> distinct;
  for (const auto& [key, number] : numbers) distinct.insert(number);
  EXPECT_EQ(distinct.size(), 24u);
  EXPECT_EQ(drawn(folder, {.batch_size = 2, .shuffle_seed = 8}), numbers) << "neither batch nor place counts";
  EXPECT_NE(drawn(folder, {.batch_size = 3, .seed = 8, .shuffle_seed = 0}), numbers);
}

TEST(Pipeline, AnEarlierBatchStaysWhatItWas) {
  const Folder folder(8);
  Pipeline pipe(folder.decoding(), {.batch_size = 4});
  const Batch held = pipe.run();
  const std::string before = bytes_of(held.outputs[0]);
  for (int i = 0; i < 20; ++i) pipe.run();
  EXPECT_EQ(bytes_of(held.outputs[0]), before);
}

TEST(Pipeline, AsManyBatchesAreInTheMakingAsWasAsked) {
  const Folder folder(4);
  for (int depth : {1, 2, 5}) {
    Pipeline pipe(folder.decoding(), {.batch_size = 2, .prefetch = depth});
    for (int i = 0; i < 3; ++i) {
      pipe.run();
      EXPECT_EQ(pipe.in_flight(), depth - 1);
    }
  }
}

TEST(Pipeline, TheHostWorksAheadOfAGpu) {
  EXPECT_EQ(depth_of({.prefetch = 3, .prefetch_gpu = 2}), 3);
  EXPECT_EQ(depth_of({.prefetch = 3, .prefetch_gpu = 2, .device_id = 0}), 5);
  EXPECT_EQ(depth_of({.prefetch = 1, .prefetch_gpu = 1, .device_id = 0}), 1);
  const Folder folder(4);
  EXPECT_EQ(Pipeline(folder.decoding(), {.batch_size = 2, .prefetch = 4, .prefetch_gpu = 3}).depth(), 4);
  const auto nothing = [&] { Pipeline(folder.decoding(), {.batch_size = 2, .prefetch_gpu = 0}); };
  expect_in("at least 1, got 2 and, for a GPU, 0", message_of<ArgumentError>(nothing));
}

TEST(Pipeline, BatchesOutliveTheirPipeline) {
  const Folder folder(4);
  Batch batch;
  {
    Pipeline pipe(folder.decoding(), {.batch_size = 4});
    batch = pipe.run();
  }
  EXPECT_EQ(batch.outputs[0].size(), 4);
  EXPECT_FALSE(bytes_of(batch.outputs[0]).empty());
}

TEST(Pipeline, UniformOutputsAreOneBlockAndRaggedOnesAreNot) {
  const Folder folder(4);
  Pipeline pipe(folder.decoding(), {.batch_size = 4});
  const Batch batch = pipe.run();
  EXPECT_TRUE(batch.outputs[1].contiguous());
  EXPECT_EQ(batch.outputs[1].as_tensor().view.shape, (Shape{4, 1}));
  EXPECT_FALSE(batch.outputs[0].uniform());
  EXPECT_EQ(batch.outputs[0][3].shape, (Shape{16, 19, 3}));
}

TEST(Pipeline, SourcesAndIndicesAreKnown) {
  const Folder folder(3);
  Pipeline pipe(folder.decoding(), {.batch_size = 3});
  const Batch batch = pipe.run();
  EXPECT_EQ(batch.indices, (std::vector<int64_t>{0, 1, 2}));
  expect_in("002.jpg", std::string(batch.outputs[0].source(2)));
}

TEST(Pipeline, MemoryOfABatchThatWasLetGoIsFree) {
  const Folder folder(6);
  Pipeline pipe(folder.decoding(), {.batch_size = 6});
  for (int i = 0; i < 200; ++i) {
    pipe.schedule();
    pipe.wait();
    ASSERT_EQ(HostPool::process()->in_use(), 0u);
  }
  EXPECT_LT(HostPool::process()->idle(), size_t{1} << 20);
}

TEST(Pipeline, FedBatchesComeBackInOrderAndAreChecked) {
  Graph graph;
  const auto data = graph.add({.op = "external_source", .args = {{"dtype", int64_t{6}}}, .name = "in"});
  graph.set_outputs(data);
  Pipeline pipe(graph, {.batch_size = 2});
  const auto batch_of = [](int32_t value) {
    auto block = std::make_shared<std::vector<int32_t>>(2, value);
    return TensorList({block, reinterpret_cast<std::byte*>(block->data()), 8}, 2, {DType::kInt32, {1}, {}});
  };
  EXPECT_THROW(pipe.schedule(), ArgumentError);
  for (int i = 0; i < 3; ++i) {
    pipe.feed("in", batch_of(i));
    pipe.schedule();
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(labels_of(pipe.wait(), 0), (std::vector<int>{i, i}));
  EXPECT_THROW(pipe.feed("out", batch_of(1)), KeyError);
  TensorList floats({std::make_shared<float>(1.f), nullptr, 4}, 1, {DType::kFloat, {1}, {}});
  expect_in("expected data of type int32 and got: float32",
            message_of<DataError>([&] { pipe.feed("in", std::move(floats)); }));
}

TEST(Pipeline, ReaderFactsAreKnown) {
  const Folder folder(10);
  Pipeline pipe(folder.decoding({{"num_shards", int64_t{3}}, {"shard_id", int64_t{1}}, {"pad_last_batch", true}}),
                {.batch_size = 2});
  const ReaderMeta& meta = pipe.readers().at(0);
  EXPECT_EQ(meta.name, "files");
  EXPECT_EQ(meta.epoch_size, 10);
  EXPECT_EQ(meta.epoch_size_padded, 12);
  EXPECT_EQ(meta.steps_per_epoch, 2);
  EXPECT_TRUE(meta.pads);
}

TEST(Pipeline, ShortBatchesAtAnEpochsEndWhenAsked) {
  const Folder folder(5);
  Pipeline pipe(folder.decoding({{"epoch_end", std::string("partial")}}), {.batch_size = 3});
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{3, 4}));
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{0, 1, 2}));
}

TEST(Pipeline, PaddingIsMarked) {
  const Folder folder(5);
  Pipeline pipe(folder.decoding({{"epoch_end", std::string("pad")}}), {.batch_size = 3});
  EXPECT_EQ(pipe.run().valid, (std::vector<uint8_t>{1, 1, 1}));
  EXPECT_EQ(pipe.run().valid, (std::vector<uint8_t>{1, 1, 0}));
}

TEST(Pipeline, StatsAndTraceAreJson) {
  const Folder folder(4);
  Pipeline pipe(folder.decoding(), {.batch_size = 4});
  pipe.set_tracing(true);
  for (int i = 0; i < 3; ++i) pipe.run();
  const auto stats = nlohmann::json::parse(pipe.stats());
  EXPECT_GE(stats["batches"], 3);
  EXPECT_EQ(stats["operators"].size(), 2u);
  const auto trace = nlohmann::json::parse(pipe.trace());
  std::set<std::string> names;
  for (const auto& event : trace["traceEvents"]) names.insert(event["name"]);
  EXPECT_TRUE(names.contains("decoders.image"));
}

TEST(Pipeline, WrongOptionsAreRefused) {
  const Folder folder(1);
  EXPECT_THROW(Pipeline(folder.decoding(), {.batch_size = 0}), ArgumentError);
  EXPECT_THROW(Pipeline(folder.decoding(), {.batch_size = 1, .prefetch = 0}), ArgumentError);
  Graph none;
  EXPECT_THROW(Pipeline(none, {.batch_size = 1}), ArgumentError);
}

TEST(Pipeline, MemoryThatNobodyCouldWriteIsRefused) {
  Pipeline pipe(Folder(2).decoding(), {.batch_size = 1});
  expect_in("there are 2 outputs, and none of number 2", message_of<IndexError>([&] { pipe.offer(0, 2, {}); }));
  expect_in("this one has no device_id", message_of<ArgumentError>([&] { pipe.offer(0, 0, {}); }));
}

TEST(Pipeline, DroppedBatchesEndWithoutItsLock) {
  Graph graph;
  graph.set_outputs(graph.add({.op = "external_source", .name = "in"}));
  Pipeline pipe(graph, {.batch_size = 1});
  int seen = -1;
  float memory = 1;
  const auto let_go = [&](void*) { seen = pipe.in_flight(); };  // who asks that may have the lock that this waits for
  pipe.feed("in", TensorList({std::shared_ptr<void>(&memory, let_go), reinterpret_cast<std::byte*>(&memory), 4}, 1,
                             {DType::kFloat, {1}, {}}));
  pipe.schedule();
  EXPECT_TRUE(pipe.drop_for(std::chrono::seconds(20)));
  EXPECT_EQ(seen, 0);
}

TEST(Pipeline, NothingIsBegunOfBatchesThatAreDropped) {
  std::latch begun(1), go(1);
  std::atomic<int> calls = 0;
  const int64_t id = keep_callback([&](BatchContext& batch) {
    ++calls;
    begun.count_down();
    go.wait();
    batch.outputs.push_back(*batch.inputs[0]);
  });
  Graph graph;
  const Node numbers = graph.add({.op = "random.uniform"})[0];
  graph.set_outputs(graph.add({.op = "callback", .inputs = {numbers}, .args = {{"id", id}}}));
  Pipeline pipe(graph, {.batch_size = 1, .prefetch = 3});
  for (int i = 0; i < 3; ++i) pipe.schedule();
  begun.wait();
  EXPECT_FALSE(pipe.drop_for(std::chrono::milliseconds(50)));
  go.count_down();
  EXPECT_TRUE(pipe.drop_for(std::chrono::seconds(20)));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(pipe.in_flight(), 0);
  release_callback(id);
}

/// Two numbers, and `let_go` when they are let go.
TensorList two_numbers(
    int first, std::function<void()> let_go = [] {}) {
  auto* block = new std::array<int32_t, 2>{first, first + 1};
  const std::shared_ptr<void> owner(block, [block, let_go = std::move(let_go)](void*) { delete block, let_go(); });
  return TensorList({owner, reinterpret_cast<std::byte*>(block->data()), 8}, 2, {DType::kInt32, {1}, {}});
}

TEST(Pipeline, WhatIsFedEndsWithAnEpochThatEndsWithinABatch) {
  const Folder folder(3);
  Graph graph = folder.decoding({{"epoch_end", std::string("partial")}});
  const Node fed = graph.add({.op = "external_source", .name = "in"})[0];
  graph.set_outputs({fed, graph.outputs()[1]});
  Pipeline pipe(graph, {.batch_size = 2});
  for (const std::vector<int>& left : {std::vector<int>{7, 8}, {7}}) {
    pipe.feed("in", two_numbers(7));
    pipe.schedule();
    const Batch batch = pipe.wait();
    EXPECT_EQ(labels_of(batch, 0), left);
    EXPECT_EQ(labels_of(batch, 1).size(), left.size());
  }
}

TEST(Pipeline, SourcesWithoutANameGetTheSame) {
  Graph graph;
  const auto a = graph.add({.op = "external_source"}), b = graph.add({.op = "external_source"});
  graph.set_outputs({a[0], b[0]});
  Pipeline pipe(graph, {.batch_size = 2});
  pipe.feed("", two_numbers(3));
  const Batch batch = pipe.run();
  for (size_t i : {0, 1}) EXPECT_EQ(labels_of(batch, i), (std::vector<int>{3, 4}));
}

TEST(Pipeline, OfAParentNobodyTouchesBatchesAfterAFork) {
  Graph graph;
  graph.set_outputs(graph.add({.op = "external_source", .name = "in"}));
  Pipeline pipe(graph, {.batch_size = 2});
  bool let_go = false;
  pipe.feed("in", two_numbers(1, [&] { let_go = true; }));
  pipe.schedule();
  while (!pipe.wait_for(std::chrono::seconds(1))) continue;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang ends as a failure
    int refused = 0;
    for (const std::function<void()>& call :
         {std::function<void()>([&] { pipe.wait(); }), {[&] { pipe.in_flight(); }}, {[&] { pipe.seek(0); }}}) {
      try {
        call();
      } catch (const InternalError&) {
        ++refused;
      }
    }
    const bool dropped = pipe.drop_for({});
    { const Pipeline ended = std::move(pipe); }
    _exit(dropped && refused == 3 && !let_go ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(labels_of(pipe.wait(), 0), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace penstock
