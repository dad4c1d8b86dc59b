#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/folder.h"

namespace penstock {
namespace {

using test::bytes_of;
using test::expect_in;
using test::Folder;
using test::labels_of;
using test::message_of;

std::map<std::string, ArgValue> shard(int64_t k, int64_t of) {
  return {{"random_shuffle", true}, {"epoch_end", std::string("pad")}, {"shard_id", k}, {"num_shards", of}};
}

TEST(RunState, ContinuesBitForBitInTheMiddleOfAnEpoch) {
  const Folder folder(11);
  const PipelineOptions options{.batch_size = 2, .seed = 5};
  Pipeline uninterrupted(folder.decoding(shard(0, 1)), options);
  for (int i = 0; i < 9; ++i) uninterrupted.run();
  const std::string state = uninterrupted.state();
  EXPECT_LT(state.size(), 600u);
  Pipeline resumed(folder.decoding(shard(0, 1)), options);
  resumed.load_state(state);
  for (int i = 0; i < 15; ++i) {
    const Batch a = uninterrupted.run(), b = resumed.run();
    EXPECT_EQ(a.iteration, b.iteration);
    EXPECT_EQ(a.indices, b.indices);
    EXPECT_EQ(bytes_of(a.outputs[0]), bytes_of(b.outputs[0]));
  }
}

TEST(RunState, IsThatOfTheBatchesTakenNotOfThoseStarted) {
  const Folder folder(6);
  Pipeline pipe(folder.decoding(), {.batch_size = 2, .prefetch = 3});
  const std::string at_start = pipe.state();
  pipe.run();
  pipe.load_state(at_start);
  EXPECT_EQ(labels_of(pipe.run()), (std::vector<int>{0, 1}));
}

TEST(RunState, MovesToAnotherNumberOfRanks) {
  const Folder folder(13);
  std::vector<int64_t> seen;
  std::string state;
  for (int64_t k = 0; k < 3; ++k) {
    Pipeline pipe(folder.decoding(shard(k, 3)), {.batch_size = 2});
    const Batch batch = pipe.run();
    seen.insert(seen.end(), batch.indices.begin(), batch.indices.end());
    state = pipe.state();
  }
  for (int64_t k = 0; k < 2; ++k) {
    Pipeline pipe(folder.decoding(shard(k, 2)), {.batch_size = 2});
    pipe.load_state(state);
    for (int step = 0; step < 2; ++step) {
      const Batch batch = pipe.run();
      for (size_t i = 0; i < batch.indices.size(); ++i)
        if (batch.valid[i]) seen.push_back(batch.indices[i]);
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int64_t> all(13);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  EXPECT_EQ(seen, all);
}

TEST(RunState, RefusesAnotherPipelineAndNamesTheDifference) {
  const Folder folder(4), other(5);
  Pipeline pipe(folder.decoding(), {.batch_size = 2});
  const std::string state = pipe.state();
  const auto refusal = [&](const Graph& graph, PipelineOptions options = {.batch_size = 2}) {
    Pipeline changed(graph, options);
    return message_of<ArgumentError>([&] { changed.load_state(state); });
  };
  expect_in("seed 0, this pipeline has seed 3", refusal(folder.decoding(), {.batch_size = 2, .seed = 3}));
  expect_in("operator 0 (readers.file) had other arguments", refusal(folder.decoding({{"random_shuffle", true}})));
  Pipeline shuffled(folder.decoding(shard(0, 1)), {.batch_size = 2, .shuffle_seed = 1});
  Pipeline otherwise(folder.decoding(shard(0, 1)), {.batch_size = 2, .shuffle_seed = 2});
  expect_in("another shuffle_seed", message_of<ArgumentError>([&] { otherwise.load_state(shuffled.state()); }));
  expect_in("operator 0 (readers.file) had other arguments", refusal(other.decoding()));
  Graph longer;
  const auto read = longer.add({.op = "readers.file", .args = folder.reader_args(), .name = "files"});
  longer.set_outputs({read[0]});
  expect_in("decoders.image where this one has nothing", refusal(longer));
  EXPECT_THROW(pipe.load_state("no json"), ArgumentError);
}

TEST(RunState, RefusesWhatNoPipelineSaved) {
  const Folder folder(4);
  Pipeline pipe(folder.decoding(), {.batch_size = 2});
  const std::string saved = pipe.state();
  const auto refusal_of = [&](const char* part, const std::string& other) {
    const size_t at = saved.find(part);
    EXPECT_NE(at, std::string::npos) << part << " in " << saved;
    const std::string changed = std::string(saved).replace(at, std::string(part).size(), other);
    return message_of<ArgumentError>([&] { pipe.load_state(changed); });
  };
  const std::string what = "this is not a state that Penstock saved: ";
  for (const char* number : {"-5", "1.5", "1e+30", "18446744073709551615", "null", "\"0\"", "true"})
    expect_in(what + "its \"iteration\" is " + number + ", where a whole number from 0 to 9223372036854775807 belongs",
              refusal_of("\"iteration\":0", std::string("\"iteration\":") + number));
  for (const char* number : {"1.5", "18446744073709551615"})
    expect_in(std::string("\"seed\" is ") + number + ", where a whole number",
              refusal_of("\"seed\":0", std::string("\"seed\":") + number));
  expect_in("\"seen\" is 0.5, where a whole number from 0 to", refusal_of("\"seen\":[0", "\"seen\":[0.5"));
  expect_in("\"seen\" is an object of 0, where a list of whole numbers", refusal_of("\"seen\":[0]", "\"seen\":{}"));
  expect_in("has no \"seed\"", refusal_of("\"seed\":0", "\"need\":0"));
  expect_in("\"operators\" is null, where a list of texts",
            refusal_of("\"operators\":[", "\"operators\":null,\"o\":["));
  expect_in("\"operators\" is 1, where a text", refusal_of("\"operators\":[", "\"operators\":[1,"));
  expect_in("\"readers\" is a list of 0, where a list of 1", refusal_of("\"readers\":[", "\"readers\":[],\"r\":["));
  for (const char* part : {"\"data\":", "\"order\":"})
    expect_in("is 5, where a text belongs", refusal_of(part, std::string(part) + "5,\"x\":"));
  expect_in("\"size\" is null, where a whole number", refusal_of("\"size\":", "\"size\":null,\"x\":"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  expect_in("\"operators\" is a list of 1, where a text",
            refusal_of("\"operators\":[", "\"operators\":[" + deep + ","));
  expect_in("batch 9223372036854775807 lies behind all that can be counted",
            refusal_of("\"iteration\":0", "\"iteration\":9223372036854775807"));
  expect_in("the last one is 2305843009213693952", message_of<ArgumentError>([&] { pipe.seek(int64_t{1} << 62); }));
  expect_in("it is no JSON", refusal_of("{", ""));
  expect_in("has no \"penstock\"", message_of<ArgumentError>([&] { pipe.load_state("7"); }));
}

TEST(RunState, SeekGoesToAnyBatchOfTheRun) {
  const Folder folder(10);
  Pipeline pipe(folder.decoding(shard(0, 1)), {.batch_size = 3});
  std::vector<std::vector<int64_t>> batches;
  for (int i = 0; i < 6; ++i) batches.push_back(pipe.run().indices);
  for (int64_t i : {4, 0, 5}) {
    pipe.seek(i);
    EXPECT_EQ(pipe.run().indices, batches[static_cast<size_t>(i)]);
  }
}

TEST(RunState, RefusesWhatItCannotGoOnFromAndGoesOnAsBefore) {
  const Folder folder(12);
  const std::map<std::string, ArgValue> one = {{"num_shards", int64_t{1}}}, two = {{"num_shards", int64_t{2}}};
  Pipeline alone(folder.decoding(one), {.batch_size = 2}), half(folder.decoding(two), {.batch_size = 2});
  alone.run();
  half.run();
  const std::string message = message_of<ArgumentError>([&] { half.load_state(alone.state()); });
  expect_in("[readers.file]", message);
  EXPECT_EQ(labels_of(half.run()), (std::vector<int>{2, 3}));
}

TEST(RunState, IsOfBatchesThatTheRunHas) {
  const Folder folder(8);
  Pipeline pipe(folder.decoding(), {.batch_size = 2});
  expect_in("batch -5 lies before batch 0, where this run began", message_of<ArgumentError>([&] { pipe.state(-5); }));
  Pipeline resumed(folder.decoding(), {.batch_size = 2});
  resumed.load_state(pipe.state(3));
  expect_in("batch 2 lies before batch 3, where this run was resumed",
            message_of<ArgumentError>([&] { resumed.state(2); }));
}

}  // namespace
}  // namespace penstock
