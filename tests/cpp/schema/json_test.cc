#include "schema/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schema/registry.h"

namespace penstock {
namespace {

struct PadArgs {
  float fill = 0.1f;
  std::vector<int64_t> axes = {0, 1};
  DType dtype = DType::kInt16;
  std::optional<std::string> mode;
};

class PadLike final : public SampleOperator<PadArgs> {
 public:
  void infer(Sample&) const override {}
  void run(Sample&) const override {}
};

TEST(SchemaJson, SaysEverythingThatCallersAndDocumentationNeed) {
  Registry registry;
  registry.add<PadLike>("b.pad")
      .doc("Pads \"images\".")
      .input("x", {"HWC", "CHW"}, "Images.")
      .holds("jpeg")
      .input("more", {}, "Others.")
      .optional()
      .variadic()
      .output("y", "Padded.")
      .arg("fill", &PadArgs::fill, "Value.", kPerSample)
      .arg("axes", &PadArgs::axes, "Which.", kRequired)
      .arg("dtype", &PadArgs::dtype, "Type.")
      .arg("mode", &PadArgs::mode, "How.")
      .ignored("hint", ArgType::kInt, "memory is not preallocated")
      .alias("pad_old")
      .example({{"fill", 0.5},
                {"axes", {1, 2}},
                {"dtype", DType::kUInt8},
                {"mode", "edge"},
                {"path", ExampleData{"pictures"}},
                {"where", ExampleNode{"a.place"}}})
      .host_only("reads what the host has")
      .differs("Counts from the end.")
      .differs("Never wraps.")
      .random();
  registry.add<PadLike>("a").kind(OpKind::kReader);

  const nlohmann::json a = nlohmann::json::parse(schema_json(registry.at("a")));
  EXPECT_EQ(a["name"], "a");
  EXPECT_EQ(a["kind"], "reader");
  const nlohmann::json pad = nlohmann::json::parse(schema_json(registry.at("b.pad")));
  EXPECT_EQ(pad["doc"], "Pads \"images\".");
  EXPECT_EQ(pad["inputs"][0]["layouts"], nlohmann::json({"HWC", "CHW"}));
  EXPECT_EQ(pad["inputs"][1]["optional"], true);
  EXPECT_EQ(pad["inputs"][1]["variadic"], true);
  EXPECT_EQ(pad["args"][0]["default"], 0.1);
  EXPECT_EQ(pad["args"][0]["per_sample"], true);
  EXPECT_EQ(pad["args"][1]["default"], nlohmann::json({0, 1}));
  EXPECT_EQ(pad["args"][1]["required"], true);
  EXPECT_EQ(pad["args"][2]["default"], 5);
  EXPECT_EQ(pad["args"][3]["default"], nullptr);
  EXPECT_EQ(pad["args"][4]["ignored"], true);
  EXPECT_EQ(pad["aliases"], nlohmann::json({"pad_old"}));
  EXPECT_EQ(pad["random"], true);
  EXPECT_EQ(pad["inputs"][0]["holds"], "jpeg");
  EXPECT_EQ(pad["inputs"][1]["holds"], "");
  EXPECT_EQ(pad["example"], nlohmann::json::parse(R"({"fill": 0.5, "axes": [1, 2], "dtype": 0, "mode": "edge",
                                                     "path": {"data": "pictures"}, "where": {"node": "a.place"}})"));
  EXPECT_EQ(pad["host_only"], "reads what the host has");
  EXPECT_EQ(pad["differs"], nlohmann::json({"Counts from the end.", "Never wraps."}));
}

}  // namespace
}  // namespace penstock
