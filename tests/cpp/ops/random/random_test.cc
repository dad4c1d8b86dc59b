#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "../run_op.h"
#include "core/wide_random.h"

namespace penstock {
void register_coin_flip(Registry&);
void register_uniform(Registry&);
void register_normal(Registry&);
void register_beta(Registry&);
void register_choice(Registry&);

namespace {

using test::Args;
using test::Floats;
using test::HostTensor;
using test::Ints;
using test::RunOp;
using testing::HasSubstr;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_coin_flip, register_uniform, register_normal, register_beta, register_choice});
  return all;
}

constexpr int64_t kMany = 100000;

HostTensor result(const std::string& op, Args args, std::vector<HostTensor> in = {}, SampleId id = {},
                  uint64_t seed = 1) {
  const int n = static_cast<int>(in.size());
  return RunOp(ops().at(op), std::move(args), {}, seed, n)(std::move(in), nullptr, id)[0];
}

template <class T = float>
std::vector<T> many(const std::string& op, Args args, std::vector<HostTensor> in = {}) {
  args["shape"] = kMany;
  return result(op, std::move(args), std::move(in)).values<T>();
}

template <class E = ArgumentError>
std::string refusal(const std::string& op, Args args, std::vector<HostTensor> in = {}) {
  return test::message_of<E>([&] { result(op, std::move(args), std::move(in)); });
}

struct Moments {
  double mean = 0, variance = 0;
};

template <class T>
Moments moments(const std::vector<T>& values) {
  Moments m;
  for (T x : values) m.mean += static_cast<double>(x) / static_cast<double>(values.size());
  for (T x : values) {
    const double d = static_cast<double>(x) - m.mean;
    m.variance += d * d / static_cast<double>(values.size());
  }
  return m;
}

/// The largest distance between the distribution of the values and the one that `cdf` describes (Kolmogorov, Smirnov).
template <class Cdf>
double distance(std::vector<float> values, Cdf&& cdf) {
  std::sort(values.begin(), values.end());
  double worst = 0;
  const double n = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = cdf(static_cast<double>(values[i]));
    worst = std::max({worst, std::abs(x - static_cast<double>(i) / n), std::abs(x - static_cast<double>(i + 1) / n)});
  }
  return worst;
}
const double kLikely = 1.95 / std::sqrt(static_cast<double>(kMany));  // exceeded once in a thousand seeds

TEST(RandomOperators, GiveScalarsUnlessAShapeIsAskedFor) {
  for (const char* op : {"random.coin_flip", "random.uniform", "random.normal", "random.beta"}) {
    EXPECT_EQ(result(op, {}).desc.shape, Shape{}) << op;
    EXPECT_EQ(result(op, {{"shape", int64_t{3}}}).desc.shape, Shape{3}) << op;
    EXPECT_EQ(result(op, {{"shape", Ints{0, 3}}}).desc.shape, (Shape{0, 3})) << op;
    const HostTensor like = result(op, {}, {test::test_image(2, 4)});
    EXPECT_EQ(like.desc.shape, (Shape{2, 4, 3})) << op;
    EXPECT_TRUE(like.desc.layout.empty()) << op;
    EXPECT_THAT(refusal(op, {{"shape", int64_t{3}}}, {test::test_image(2, 4)}), HasSubstr("mutually exclusive")) << op;
    EXPECT_THAT(refusal(op, {{"shape", Ints{-1}}}), HasSubstr("must not be negative")) << op;
  }
  EXPECT_EQ(result("coin_flip", {}).desc.dtype, DType::kInt32);
  EXPECT_EQ(result("uniform", {}).desc.dtype, DType::kFloat);
  EXPECT_EQ(result("normal_distribution", {{"dtype", static_cast<int64_t>(DType::kFloat64)}}).desc.dtype,
            DType::kFloat64);
}

TEST(RandomOperators, DependOnSeedEpochAndSampleAlone) {
  for (const char* op : {"random.coin_flip", "random.uniform", "random.normal", "random.beta"}) {
    const Args wide = {{"shape", int64_t{64}}};
    const auto made = [&](SampleId id, uint64_t seed) { return result(op, wide, {}, id, seed).bytes; };
    const auto first = made({.iteration = 0, .slot = 0, .epoch = 3, .sample = 7}, 1);
    EXPECT_EQ(first, made({.iteration = 9, .slot = 4, .epoch = 3, .sample = 7}, 1)) << op;
    EXPECT_NE(first, made({.epoch = 4, .sample = 7}, 1)) << op;
    EXPECT_NE(first, made({.epoch = 3, .sample = 8}, 1)) << op;
    EXPECT_NE(first, made({.epoch = 3, .sample = 7}, 2)) << op;
  }
}

std::vector<double> many_wide(const std::string& op, Args args) {
  args["dtype"] = static_cast<int64_t>(DType::kFloat64);
  return many<double>(op, std::move(args));
}
template <class T>
int64_t distinct(const std::vector<T>& values) {
  return std::ssize(std::set<T>(values.begin(), values.end()));
}

TEST(RandomOperators, GiveDoublesOf53Bits) {
  EXPECT_EQ(distinct(many_wide("random.uniform", {{"range", Floats{0, 1}}})), kMany);
  // Of so many, in 2^32 places, a few fall together.
  EXPECT_GT(distinct(many_wide("random.uniform", {{"range", Floats{1, 1.000001}}})), kMany - 20);
  EXPECT_GT(distinct(many_wide("random.normal", {{"mean", 1.}, {"stddev", 1e-6}})), kMany - 20);
  EXPECT_GT(distinct(many_wide("random.beta", {{"alpha", 1e7}, {"beta", 1.}})), kMany - 100);
  EXPECT_GT(distinct(many_wide("random.beta", {{"alpha", 1e15}, {"beta", 1.23e17}})), kMany - 500);
}

TEST(RandomOperators, GiveDoublesOfTheSameDistributions) {
  const auto floats = [](const std::vector<double>& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<double> uniform = many_wide("random.uniform", {{"range", Floats{-2, 6}}});
  EXPECT_LT(distance(floats(uniform), [](double x) { return (x + 2) / 8; }), kLikely);
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -2);
  EXPECT_LT(*std::max_element(uniform.begin(), uniform.end()), 6);
  EXPECT_LT(distance(floats(many_wide("random.normal", {{"mean", 3.}, {"stddev", 2.}})),
                     [](double x) { return .5 * std::erfc((3 - x) / 2 / std::sqrt(2.)); }),
            kLikely);
  EXPECT_LT(distance(floats(many_wide("random.beta", {{"alpha", 3.}})), [](double x) { return x * x * x; }), kLikely);
}

TEST(RandomOperators, GiveTheFloatsThatTheyAlwaysGave) {
  const auto first = [](const char* op, Args args) {
    args["shape"] = int64_t{3};
    return result(op, std::move(args), {}, {.epoch = 3, .sample = 7}).values<float>();
  };
  EXPECT_EQ(first("random.uniform", {{"range", Floats{-2, 6}}}),
            (std::vector<float>{-0x1.370d68p+0f, 0x1.f9249cp+1f, 0x1.394efap+2f}));
  EXPECT_EQ(first("random.normal", {{"mean", 1.}, {"stddev", 2.}}),
            (std::vector<float>{0x1.ec6ceep-1f, -0x1.6c183cp+1f, 0x1.bed15cp+1f}));
  EXPECT_EQ(first("random.beta", {{"alpha", .5}, {"beta", 3.}}),
            (std::vector<float>{0x1.66862ep-5f, 0x1.13498ep-6f, 0x1.d17628p-7f}));
}

TEST(CoinFlip, HasItsProbability) {
  EXPECT_NEAR(moments(many<int32_t>("random.coin_flip", {{"probability", .3}})).mean, .3, .006);
  EXPECT_EQ(moments(many<int32_t>("random.coin_flip", {{"probability", 0.}})).mean, 0);
  EXPECT_NEAR(moments(many<int32_t>("random.coin_flip", {{"probability", 1.}})).mean, 1, 1e-9);
  EXPECT_THAT(refusal("random.coin_flip", {{"probability", 1.5}}), HasSubstr("must lie in [0, 1]"));
  const HostTensor never(Shape{}, {}, std::vector<float>{0});
  EXPECT_EQ(RunOp(ops().at("random.coin_flip"), {}, {{"probability", never}}, 1, 0)({})[0].values<int32_t>()[0], 0);
}

TEST(Uniform, FillsItsRange) {
  const std::vector<float> values = many("random.uniform", {{"range", Floats{-2, 6}}});
  EXPECT_LT(distance(values, [](double x) { return (x + 2) / 8; }), kLikely);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -2);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 6);
  EXPECT_EQ(result("random.uniform", {{"range", Floats{3, 3}}}).values<float>()[0], 3);
}

TEST(Uniform, RoundsWhereIntegersAreAskedFor) {
  const std::vector<uint8_t> values =
      many<uint8_t>("random.uniform", {{"range", Floats{-5, 2}}, {"dtype", static_cast<int64_t>(DType::kUInt8)}});
  EXPECT_EQ(std::set<uint8_t>(values.begin(), values.end()), (std::set<uint8_t>{0, 1, 2}));
}

TEST(Uniform, PicksFromValuesEquallyOften) {
  const std::vector<float> values = many("random.uniform", {{"values", Floats{1, 2.5, 7}}});
  for (float value : {1.f, 2.5f, 7.f})
    EXPECT_NEAR(static_cast<double>(std::count(values.begin(), values.end(), value)), kMany / 3., 600);
}

TEST(Uniform, RefusesWrongRanges) {
  EXPECT_THAT(refusal("random.uniform", {{"range", Floats{1, 0}}}), HasSubstr("Invalid range [1, 0)"));
  EXPECT_THAT(refusal("random.uniform", {{"range", Floats{-3e38, 3e38}}}), HasSubstr("must be finite"));
  EXPECT_THAT(refusal("random.uniform", {{"range", Floats{1}}}), HasSubstr("needs two values"));
  EXPECT_THAT(refusal("random.uniform", {{"values", Ints{}}}), HasSubstr("at least one value"));
  EXPECT_THAT(refusal("random.uniform", {{"range", Floats{0, 1}}, {"values", Floats{1}}}), HasSubstr("exclusive"));
}

TEST(Normal, HasItsDistribution) {
  const std::vector<float> values = many("random.normal", {{"mean", 3.}, {"stddev", 2.}});
  EXPECT_LT(distance(values, [](double x) { return .5 * std::erfc((3 - x) / 2 / std::sqrt(2.)); }), kLikely);
  EXPECT_EQ(result("random.normal", {{"mean", 3.}, {"stddev", 0.}}).values<float>()[0], 3);
  EXPECT_THAT(refusal("random.normal", {{"stddev", -1.}}), HasSubstr("must not be negative"));
}

TEST(Beta, HasItsDistribution) {
  EXPECT_LT(distance(many("random.beta", {}), [](double x) { return x; }), kLikely);
  // Closed forms: beta(a, 1) has the distribution x^a, beta(1/2, 1/2) the arcsine law.
  EXPECT_LT(distance(many("random.beta", {{"alpha", 3.}}), [](double x) { return x * x * x; }), kLikely);
  EXPECT_LT(distance(many("random.beta", {{"beta", 3.}}), [](double x) { return 1 - std::pow(1 - x, 3); }), kLikely);
  EXPECT_LT(distance(many("random.beta", {{"alpha", .5}, {"beta", .5}}),
                     [](double x) { return 2 / std::numbers::pi * std::asin(std::sqrt(x)); }),
            kLikely);
  for (float x : many("random.beta", {{"alpha", 1e-4}, {"beta", 1e-4}})) ASSERT_TRUE(x >= 0 && x <= 1);
  EXPECT_THAT(refusal("random.beta", {{"alpha", 0.}}), HasSubstr("`alpha` must be positive"));
  EXPECT_THAT(refusal("random.beta", {{"beta", -1.}}), HasSubstr("`beta` must be positive"));
}

HostTensor below(int32_t n) { return HostTensor(Shape{}, {}, std::vector<int32_t>{n}); }

TEST(Choice, PicksNumbersBelowAScalar) {
  const std::vector<int32_t> picks = many<int32_t>("random.choice", {}, {below(4)});
  for (int32_t k = 0; k < 4; ++k)
    EXPECT_NEAR(static_cast<double>(std::count(picks.begin(), picks.end(), k)), kMany / 4., 550);
  EXPECT_EQ(result("random.choice", {}, {below(4)}).desc.shape, Shape{});
}

TEST(Choice, FollowsProbabilities) {
  const std::vector<int32_t> picks = many<int32_t>("random.choice", {{"p", Floats{.5, 0, .5, 0}}}, {below(4)});
  EXPECT_NEAR(static_cast<double>(std::count(picks.begin(), picks.end(), 0)), kMany / 2., 650);
  EXPECT_NEAR(static_cast<double>(std::count(picks.begin(), picks.end(), 2)), kMany / 2., 650);
}

TEST(Choice, PicksRowsOfATensor) {
  const HostTensor rows(Shape{3, 2}, "HW", std::vector<uint8_t>{0, 10, 1, 11, 2, 12});
  const HostTensor picks = result("random.choice", {{"shape", Ints{20, 5}}}, {rows});
  EXPECT_EQ(picks.desc, (TensorDesc{DType::kUInt8, {20, 5, 2}, {}}));
  EXPECT_EQ(result("random.choice", {{"shape", Ints{4}}}, {rows}).desc.layout, Layout("HW"));
  EXPECT_EQ(result("random.choice", {}, {rows}).desc.layout, Layout("W"));
  const std::vector<uint8_t> values = picks.values<uint8_t>();
  for (size_t i = 0; i < values.size(); i += 2) EXPECT_EQ(values[i] + 10, values[i + 1]);
  EXPECT_EQ(result("random.choice", {}, {rows, test::test_image(2, 2)}).desc.shape, (Shape{2, 2, 3, 2}));
}

/// The float below a double, and the one above it.
std::pair<float, float> around(double x) {
  auto below = static_cast<float>(x);
  if (static_cast<double>(below) > x) below = std::nextafter(below, 0.f);
  return {below, std::nextafter(below, 1.f)};
}

TEST(CoinFlip, HasAProbabilityOfAllBits) {
  for (uint64_t k = 0; k < 200; ++k) {
    const SampleId id{.sample = k};
    const auto [below, above] = around(WideRandom(Random(1, 0, k)).uniform());
    EXPECT_EQ(result("coin_flip", {{"probability", double{below}}}, {}, id).values<int32_t>()[0], 0);
    EXPECT_EQ(result("coin_flip", {{"probability", double{above}}}, {}, id).values<int32_t>()[0], 1);
  }
}

TEST(Choice, HasProbabilitiesOfAllBits) {
  for (uint64_t k = 0; k < 200; ++k) {
    const SampleId id{.sample = k};
    const double draw = WideRandom(Random(1, 0, k)).uniform();
    for (const float p : {around(draw).first, around(draw).second}) {
      const float other = 1 - p;
      const bool first = draw * (double{p} + double{other}) < double{p};
      const Args args{{"p", Floats{double{p}, double{other}}}};
      EXPECT_EQ(result("random.choice", args, {below(2)}, id).values<int32_t>()[0], first ? 0 : 1);
    }
  }
}

TEST(Choice, RefusesWhatCannotBeChosenFrom) {
  EXPECT_THAT(refusal("random.choice", {{"p", Floats{.5, .5}}}, {below(3)}),
              HasSubstr("2 probabilities for 3 elements"));
  EXPECT_THAT(refusal("random.choice", {{"p", Floats{.5, .2}}}, {below(2)}), HasSubstr("must sum to 1"));
  EXPECT_THAT(refusal("random.choice", {{"p", Floats{-.5, 1.5}}}, {below(2)}), HasSubstr("must not be negative"));
  EXPECT_THAT(refusal("random.choice", {}, {below(0)}), HasSubstr("to choose from, got 0"));
  EXPECT_THAT(refusal<TypeError>("random.choice", {}, {HostTensor(Shape{}, {}, std::vector<float>{3})}),
              HasSubstr("must be an integer"));
  EXPECT_THAT(refusal("random.choice", {{"shape", int64_t{1}}}, {below(3), below(3)}), HasSubstr("exclusive"));
}

}  // namespace
}  // namespace penstock
