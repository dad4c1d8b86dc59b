#include <gtest/gtest.h>

#include "schema/registry.h"

namespace penstock {
namespace {

struct ScaleArgs {
  float factor = 2;
  std::vector<int64_t> axes;
  std::optional<int64_t> limit;
};

class Scale final : public SampleOperator<ScaleArgs> {
 public:
  void infer(Sample&) const override {}
  void run(Sample&) const override {}
  const ScaleArgs& seen() const { return constants(); }
};

class RegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    registry_.add<Scale>("scale")
        .doc("Scales.")
        .alias("enlarge")
        .input("x", {}, "Anything.")
        .output("y", "The same, scaled.")
        .arg("factor", &ScaleArgs::factor, "By how much.", kPerSample)
        .arg("axes", &ScaleArgs::axes, "Which.")
        .arg("limit", &ScaleArgs::limit, "At most.");
  }
  const ScaleArgs& args(std::map<std::string, ArgValue> given) {
    op_ = registry_.at("scale").make({.args = std::move(given), .arg_inputs = {}});
    return dynamic_cast<const Scale&>(*op_).seen();
  }
  Registry registry_;
  std::unique_ptr<Operator> op_;
};

TEST_F(RegistryTest, DefaultsComeFromTheArgumentStruct) {
  EXPECT_EQ(std::get<double>(registry_.at("scale").arg("factor")->fallback), 2.0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(registry_.at("scale").arg("limit")->fallback));
  EXPECT_EQ(args({}).factor, 2.0f);
}

TEST_F(RegistryTest, IntegersServeAsFloatsAndSingleValuesAsLists) {
  EXPECT_EQ(args({{"factor", int64_t{3}}}).factor, 3.0f);
  EXPECT_EQ(args({{"axes", int64_t{1}}}).axes, std::vector<int64_t>{1});
  EXPECT_EQ(args({{"limit", 4.0}}).limit, 4);
  EXPECT_FALSE(args({{"limit", std::monostate{}}}).limit.has_value());
}

TEST_F(RegistryTest, WrongTypesNameTheArgument) {
  try {
    args({{"factor", std::string("much")}});
    FAIL() << "a string was accepted as a number";
  } catch (const TypeError& e) {
    EXPECT_STREQ(e.what(), "argument `factor`: expected a number, got 'much'");
  }
  EXPECT_THROW(args({{"limit", 4.5}}), TypeError);
}

TEST_F(RegistryTest, OlderNamesMeanTheSame) { EXPECT_EQ(&registry_.at("enlarge"), &registry_.at("scale")); }

TEST_F(RegistryTest, UnknownNamesOfferTheNearest) {
  try {
    registry_.at("scael");
    FAIL();
  } catch (const KeyError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean `scale`?"), std::string::npos);
  }
}

TEST(ValueFrom, ScalarsAndListsOfAnyType) {
  float x = 1.5f;
  EXPECT_EQ(std::get<double>(value_from({{DType::kFloat, {}, {}}, reinterpret_cast<std::byte*>(&x)})), 1.5);
  int32_t list[] = {1, 2};
  EXPECT_EQ(std::get<std::vector<int64_t>>(value_from({{DType::kInt32, {2}, {}}, reinterpret_cast<std::byte*>(list)})),
            (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace penstock
