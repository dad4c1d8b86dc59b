#include <gtest/gtest.h>

#include <limits>

#include "ops/host/callback.h"
#include "pipeline/folder.h"
#include "pipeline/rewrite.h"

namespace penstock {
namespace {

using test::expect_in;
using test::Folder;
using test::labels_of;
using test::message_of;

TEST(Graph, WrongNamesOfferTheNearest) {
  Graph graph;
  expect_in("did you mean `readers.file`?", message_of<KeyError>([&] { graph.add({.op = "reader.file"}); }));
  expect_in("did you mean `random_shuffle`?", message_of<TypeError>([&] {
              graph.add({.op = "readers.file", .args = {{"random_shufle", true}}, .origin = "  here.py:3"});
            }));
}

TEST(Graph, ChecksNumbersOfInputsAndKindsOfArguments) {
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = {{"files", std::vector<std::string>{"a"}}}});
  expect_in("expects from 1 to 1 inputs, but received 0",
            message_of<ArgumentError>([&] { graph.add({.op = "decoders.image"}); }));
  EXPECT_THROW(graph.add({.op = "readers.file", .arg_inputs = {{"shard_id", read[1]}}}), TypeError);
  EXPECT_THROW(graph.add({.op = "readers.caffe2"}), ArgumentError) << "path is required";
  graph.add({.op = "readers.file", .name = "twice"});
  expect_in("non-unique names", message_of<ArgumentError>([&] { graph.add({.op = "readers.file", .name = "twice"}); }));
}

TEST(Graph, RefusesNodesOfOthersAndUnknownDevices) {
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = {{"files", std::vector<std::string>{"a"}}}});
  for (const Node& strange : {Node{}, Node{1, 0}, Node{0, 2}, Node{0, -1}}) {
    EXPECT_THROW(graph.add({.op = "decoders.image", .inputs = {strange}}), ArgumentError);
    EXPECT_THROW(graph.set_outputs({read[0], strange}), ArgumentError);
    expect_in("argument `crop_w` is not of this graph", message_of<ArgumentError>([&] {
                graph.add({.op = "crop", .inputs = {read[0]}, .arg_inputs = {{"crop_w", strange}}});
              }));
  }
  expect_in("not \"tpu\"", message_of<ArgumentError>(
                               [&] { graph.add({.op = "decoders.image", .inputs = {read[0]}, .device = "tpu"}); }));
}

TEST(Graph, DictsSurviveJsonInTheirOrder) {
  Graph graph;
  const Dict features = {{"b", "string[]"}, {"a", "int64[]"}, {"caf\xe9", ""}};
  const auto read = graph.add({.op = "readers.tfrecord", .args = {{"path", "x"}, {"features", features}}});
  ASSERT_EQ(read.size(), features.size());
  graph.set_outputs(read);
  const Graph copy = Graph::from_json(graph.to_json());
  EXPECT_EQ(copy.nodes()[0].args, graph.nodes()[0].args) << graph.to_json();
}

TEST(Graph, NumbersAndNamesThatJsonHasNotSurviveIt) {
  const double kInf = std::numeric_limits<double>::infinity();
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = {{"files", std::vector<std::string>{"a", "caf\xe9"}}}});
  const auto made = graph.add({.op = "normalize", .inputs = {read[0]}, .args = {{"mean", -kInf}}});
  graph.set_outputs(
      graph.add({.op = "crop_mirror_normalize", .inputs = made, .args = {{"std", std::vector{1, kInf}}}}));
  const Graph copy = Graph::from_json(graph.to_json());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(copy.nodes()[i].args, graph.nodes()[i].args) << graph.to_json();
}

TEST(Graph, SurvivesItsJsonForm) {
  const Folder folder(3);
  const Graph graph = folder.decoding({{"random_shuffle", true}});
  const Graph copy = Graph::from_json(graph.to_json());
  EXPECT_EQ(copy.to_json(), graph.to_json());
  EXPECT_THROW(Graph::from_json("{}"), DataError);
  EXPECT_THROW(Graph::from_json("[1"), DataError);
}

TEST(Rewrite, DropsWhatNobodyReads) {
  const Folder folder(3);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
  graph.add({.op = "decoders.image", .inputs = {read[0]}});
  graph.set_outputs({read[1]});
  std::vector<std::string> notes;
  EXPECT_EQ(drop_dead(graph, notes).nodes().size(), 1u);
  EXPECT_EQ(notes.size(), 1u);
}

TEST(Rewrite, MergesEqualOperatorsButNotNamedOnes) {
  const Folder folder(3);
  for (const std::string name : {"", "second"}) {
    Graph graph;
    const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
    const auto a = graph.add({.op = "decoders.image", .inputs = {read[0]}});
    const auto b = graph.add({.op = "decoders.image", .inputs = {read[0]}, .name = name});
    graph.set_outputs({a[0], b[0]});
    std::vector<std::string> notes;
    EXPECT_EQ(merge_equal(graph, notes).nodes().size(), name.empty() ? 2u : 3u);
    Pipeline pipe(graph, {.batch_size = 3});
    const Batch batch = pipe.run();
    EXPECT_EQ(test::bytes_of(batch.outputs[0]), test::bytes_of(batch.outputs[1]));
  }
}

TEST(Rewrite, MergesNeitherOtherArgumentsNorDrawsOfTheirOwn) {
  Graph graph;
  const auto draw = [&](std::map<std::string, ArgValue> args) {
    return graph.add({.op = "random.coin_flip", .args = std::move(args)})[0];
  };
  graph.set_outputs({draw({}), draw({}), draw({{"seed", int64_t{1}}}), draw({{"seed", int64_t{2}}})});
  std::vector<std::string> notes;
  EXPECT_EQ(merge_equal(graph, notes).nodes().size(), 4u);
}

TEST(BatchStep, FunctionsRunOnceABatchInOrder) {
  const Folder folder(6);
  std::vector<int> seen;
  const int64_t id = keep_callback([&](BatchContext& batch) {
    for (int64_t i = 0; i < batch.inputs[0]->size(); ++i) seen.push_back(*(*batch.inputs[0])[i].as<int32_t>());
    batch.outputs.push_back(*batch.inputs[0]);
  });
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
  const auto called = graph.add({.op = "callback", .inputs = {read[1]}, .args = {{"id", id}}});
  const auto image = graph.add({.op = "decoders.image", .inputs = {read[0]}});
  graph.set_outputs({image[0], called[0]});
  std::vector<int> expected;
  {
    Pipeline pipe(graph, {.batch_size = 2, .prefetch = 4});  // its workers write to `seen` for as long as it lives
    for (int i = 0; i < 12; ++i) {
      for (int label : labels_of(pipe.run())) expected.push_back(label);
    }
  }
  release_callback(id);
  ASSERT_GE(seen.size(), expected.size());
  seen.resize(expected.size());
  EXPECT_EQ(seen, expected);
}

TEST(BatchStep, AnErrorInAFunctionIsThatBatchsError) {
  const Folder folder(4);
  const int64_t id = keep_callback([](BatchContext& batch) {
    if (batch.iteration == 1) throw ArgumentError("the function does not like batch 1");
    batch.outputs.push_back(*batch.inputs[0]);
  });
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
  graph.set_outputs(graph.add({.op = "callback", .inputs = {read[1]}, .args = {{"id", id}}}));
  Pipeline pipe(graph, {.batch_size = 2, .prefetch = 3});
  EXPECT_EQ(labels_of(pipe.run(), 0), (std::vector<int>{0, 1}));
  expect_in("[callback] the function does not like batch 1", message_of<ArgumentError>([&] { pipe.run(); }));
  EXPECT_EQ(labels_of(pipe.run(), 0), (std::vector<int>{0, 1}));
}

TEST(Explain, TellsWhatWasRewrittenAndWhereResultsGo) {
  const Folder folder(3);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args(), .name = "mine"});
  graph.add({.op = "decoders.image", .inputs = {read[0]}});
  const auto image =
      graph.add({.op = "decoders.image_crop", .inputs = {read[0]}, .args = {{"crop", std::vector<double>{8, 8}}}});
  graph.set_outputs({image[0], read[1]});
  const std::string text = Pipeline(graph, {.batch_size = 3}).explain();
  expect_in("dropped decoders.image: nothing reads it", text);
  expect_in("readers.file `mine`", text);
  expect_in("written in place into the batch", text);
}

TEST(Explain, TellsOfADecoderThatMakesAPart) {
  const Folder folder(3);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
  const auto image = graph.add({.op = "decoders.image", .inputs = {read[0]}});
  graph.set_outputs(graph.add({.op = "crop", .inputs = image, .args = {{"crop", std::vector<double>{8, 8}}}}));
  const std::string part = "decoders.image(#0)  [makes only the region that is kept]";
  expect_in(part, Pipeline(graph, {.batch_size = 3}).explain());
  graph.set_outputs(image);
  EXPECT_EQ(Pipeline(graph, {.batch_size = 3}).explain().find("makes only"), std::string::npos);
}

TEST(Explain, TellsOfADecoderThatMakesWhatADrawnWindowTakes) {
  const Folder folder(3);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args()});
  const auto image = graph.add({.op = "decoders.image", .inputs = {read[0]}});
  const auto drawn = graph.add({.op = "random.uniform", .args = {{"range", std::vector<double>{0, 1}}}});
  const auto place = graph.add({.op = "random.coin_flip", .arg_inputs = {{"probability", drawn[0]}}});
  const auto cut = graph.add({.op = "crop",
                              .inputs = image,
                              .args = {{"crop", std::vector<double>{8, 8}}},
                              .arg_inputs = {{"crop_pos_x", place[0]}}});
  graph.set_outputs(cut);
  expect_in("decoders.image(#0)  [makes only the region that is kept]", Pipeline(graph, {.batch_size = 3}).explain());
  graph.set_outputs({cut[0], graph.add({.op = "copy", .inputs = place})[0]});
  expect_in("decoders.image(#0)  [makes only the region that is kept]", Pipeline(graph, {.batch_size = 3}).explain());
  graph.set_outputs({cut[0], graph.add({.op = "get_property", .inputs = image, .args = {{"key", "source_info"}}})[0]});
  expect_in("decoders.image(#0)  [makes only the region that is kept]", Pipeline(graph, {.batch_size = 3}).explain());
}

}  // namespace
}  // namespace penstock
