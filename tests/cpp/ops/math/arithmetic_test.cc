// `arithmetic` at the edges of types, with constants, functions of one operand, and what it refuses.
#include <gmock/gmock.h>

#include <cmath>

#include "arithmetic.h"

namespace penstock {
namespace {

using test::Args;
using test::HostTensor;
using test::Ints;
using test::list;
using test::refusal;
using test::result;
using test::Strings;
using test::truths;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Arithmetic, TreatsTheEdgesOfIntegersAsDaliDoes) {
  const auto ints = [](const char* op, std::vector<int32_t> a, std::vector<int32_t> b) {
    return result({{"op", op}}, {list(a), list(b)}).values<int32_t>();
  };
  EXPECT_THAT(ints("div", {-7, 7, -7}, {3, -3, -3}), ElementsAre(-2, -2, 2));
  EXPECT_THAT(ints("mod", {-7, 7, -7}, {3, -3, -3}), ElementsAre(-1, 1, -1));
  EXPECT_THAT(ints("pow", {2, -2, 0, 2, 3}, {-1, 3, 0, 31, 40}), ElementsAre(0, -8, 1, INT32_MIN, 689956897));
  EXPECT_THAT(ints("lshift", {1, 1, -1, 1, 16}, {31, 33, 2, -1, -2}), ElementsAre(INT32_MIN, 2, -4, INT32_MIN, 0));
  EXPECT_THAT(ints("rshift", {-8, -8}, {1, 33}), ElementsAre(-4, -4));
  const auto bytes = [](const char* op, std::vector<uint8_t> a, std::vector<uint8_t> b) {
    return result({{"op", op}}, {list(a), list(b)}).values<uint8_t>();
  };
  EXPECT_THAT(bytes("add", {200}, {100}), ElementsAre(44));
  EXPECT_THAT(bytes("pow", {2, 200}, {8, 2}), ElementsAre(0, 64));
  EXPECT_THAT(bytes("lshift", {255, 255, 255}, {4, 9, 32}), ElementsAre(240, 0, 255));
  EXPECT_THAT(
      result({{"op", "pow"}}, {list<int64_t>({3, 2, 1, -1, 0}), list<int64_t>({39, -1, -5, -3, -2})}).values<int64_t>(),
      ElementsAre(4052555153018976267, 0, 0, 0, 0));
  EXPECT_THAT(result({{"op", "abs"}}, {list<int8_t>({-128, -5, 5})}).values<int8_t>(), ElementsAre(-128, 5, 5));
  EXPECT_THAT(result({{"op", "minus"}}, {list<uint8_t>({3})}).values<uint8_t>(), ElementsAre(253));
}

TEST(Arithmetic, SurvivesTheDivisionsThatTrap) {
  const auto low = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(result({{"op", "div"}}, {list<int64_t>({low}), list<int64_t>({-1})}).values<int64_t>(), ElementsAre(low));
  EXPECT_THAT(result({{"op", "mod"}}, {list<int64_t>({low}), list<int64_t>({-1})}).values<int64_t>(), ElementsAre(0));
  for (const char* op : {"div", "mod"})
    EXPECT_THAT(refusal<DataError>({{"op", op}}, {list<int32_t>({1}), list<int32_t>({0})}),
                HasSubstr("division by zero"));
}

TEST(Arithmetic, OrdersMinAndMaxAsDaliDoesAroundNaN) {
  const HostTensor five = list<float>({5}), nan = list<float>({std::nanf("")});
  for (const char* op : {"min", "max"}) {
    EXPECT_TRUE(std::isnan(result({{"op", op}}, {five, nan}).values<float>()[0]));
    EXPECT_EQ(result({{"op", op}}, {nan, five}).values<float>()[0], 5);
  }
}

TEST(Arithmetic, ClampsInTheCommonTypeOfAllThree) {
  const HostTensor x = list<uint8_t>({5, 200}), low = list<int8_t>({-3, -3});
  EXPECT_THAT(result({{"op", "clamp"}}, {x, low, list<float>({7.5f, 7.5f})}).values<float>(), ElementsAre(5, 7.5f));
  EXPECT_THAT(result({{"op", "clamp"}}, {x, list<uint8_t>({100, 100}), list<uint8_t>({7, 7})}).values<uint8_t>(),
              ElementsAre(7, 7));
}

TEST(Arithmetic, ComputesFunctionsOfOneOperand) {
  const std::map<std::string, double (*)(double)> real = {
      {"fabs", std::fabs},   {"floor", std::floor},
      {"ceil", std::ceil},   {"sqrt", std::sqrt},
      {"cbrt", std::cbrt},   {"exp", std::exp},
      {"log", std::log},     {"log2", std::log2},
      {"log10", std::log10}, {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},
      {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan},   {"sinh", std::sinh},
      {"cosh", std::cosh},   {"tanh", std::tanh},
      {"asinh", std::asinh}, {"acosh", std::acosh},
      {"atanh", std::atanh}, {"rsqrt", [](double x) { return 1 / std::sqrt(x); }}};
  const std::vector<double> doubles = {-1.5, -.5, 0, .25, .75, 1, 2.5};
  const std::vector<uint8_t> bytes = {0, 1, 2, 7};
  for (const auto& [name, f] : real) {
    const std::vector<double> made = result({{"op", name}}, {list(doubles)}).values<double>();
    for (size_t i = 0; i < doubles.size(); ++i) {
      if (std::isnan(f(doubles[i]))) {
        EXPECT_TRUE(std::isnan(made[i])) << name;
      } else {
        EXPECT_DOUBLE_EQ(made[i], f(doubles[i])) << name << ' ' << doubles[i];
      }
    }
    const std::vector<float> floats = result({{"op", name}}, {list(bytes)}).values<float>();
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (std::isnan(f(bytes[i]))) continue;
      EXPECT_FLOAT_EQ(floats[i], static_cast<float>(f(bytes[i]))) << name << ' ' << +bytes[i];
    }
  }
  EXPECT_THAT(result({{"op", "bitnot"}}, {list<uint8_t>({3})}).values<uint8_t>(), ElementsAre(252));
  EXPECT_THAT(result({{"op", "plus"}}, {list<int8_t>({-3})}).values<int8_t>(), ElementsAre(-3));
}

HostTensor flags(const std::vector<bool>& values) {
  HostTensor t(TensorDesc{DType::kBool, {static_cast<int64_t>(values.size())}, {}});
  for (size_t i = 0; i < values.size(); ++i) t.bytes[i] = static_cast<std::byte>(values[i]);
  return t;
}

TEST(Arithmetic, KeepsBoolsToLogic) {
  const HostTensor a = flags({false, false, true, true}), b = flags({false, true, false, true});
  EXPECT_THAT(truths(result({{"op", "mul"}}, {a, b})), ElementsAre(false, false, false, true));
  EXPECT_THAT(truths(result({{"op", "bitand"}}, {a, b})), ElementsAre(false, false, false, true));
  EXPECT_THAT(truths(result({{"op", "bitor"}}, {a, b})), ElementsAre(false, true, true, true));
  EXPECT_THAT(truths(result({{"op", "bitxor"}}, {a, b})), ElementsAre(false, true, true, false));
  EXPECT_THAT(truths(result({{"op", "bitnot"}}, {b})), ElementsAre(true, false, true, false));
  EXPECT_THAT(truths(result({{"op", "lt"}}, {a, b})), ElementsAre(false, true, false, false));
  EXPECT_THAT(truths(result({{"op", "rshift"}}, {a, b})), ElementsAre(false, false, true, false));
  EXPECT_THAT(result({{"op", "add"}}, {a, list<uint8_t>({255, 1, 255, 1})}).values<uint8_t>(),
              ElementsAre(255, 1, 0, 2));
  EXPECT_THAT(refusal<TypeError>({{"op", "add"}}, {a, b}),
              HasSubstr("Inputs to arithmetic operator `+` cannot be booleans"));
  EXPECT_THAT(refusal<TypeError>({{"op", "minus"}}, {a}),
              HasSubstr("Input to arithmetic operator `-` cannot be a boolean"));
  EXPECT_THAT(refusal<TypeError>({{"op", "sqrt"}}, {a}), HasSubstr("`sqrt` cannot be a boolean"));
  EXPECT_THAT(refusal<TypeError>({{"op", "bitand"}}, {list<float>({1, 1, 1, 1}), a}),
              HasSubstr("Inputs to bitwise operator `&` must be of integral type"));
}

TEST(Arithmetic, TakesConstantsOfGivenTypes) {
  const HostTensor x = list<uint8_t>({5, 200});
  const auto with = [&](const char* op, Strings operands, Ints integers, std::vector<double> reals) {
    return result({{"op", op}, {"operands", operands}, {"integers", integers}, {"reals", reals}}, {x});
  };
  EXPECT_THAT(with("add", {"&", "int32"}, {5}, {}).values<int32_t>(), ElementsAre(10, 205));
  EXPECT_THAT(with("sub", {"int32", "&"}, {1}, {}).values<int32_t>(), ElementsAre(-4, -199));
  EXPECT_THAT(with("add", {"&", "bool"}, {1}, {}).values<uint8_t>(), ElementsAre(6, 201));
  EXPECT_THAT(with("add", {"&", "float32"}, {}, {5.5}).values<float>(), ElementsAre(10.5f, 205.5f));
  EXPECT_THAT(with("add", {"&", "int64"}, {int64_t{1} << 40}, {}).values<int64_t>(),
              ElementsAre(1099511627781, 1099511627976));
  EXPECT_THAT(with("clamp", {"int32", "&", "float32"}, {3}, {10}).values<float>(), ElementsAre(5, 10));
}

TEST(Arithmetic, RefusesWhatItCannotCompute) {
  const HostTensor x = list<uint8_t>({5, 200});
  const auto with = [&](const char* op, Strings operands, Ints integers) {
    return Args{{"op", op}, {"operands", operands}, {"integers", integers}};
  };
  EXPECT_THAT(refusal<KeyError>({{"op", "ad"}}, {x, x}), HasSubstr("did you mean `add`?"));
  EXPECT_THAT(refusal<ArgumentError>({{"op", "add"}}, {x}), HasSubstr("takes 2 operands, got 1"));
  EXPECT_THAT(refusal<ArgumentError>(with("add", {"&", "&"}, {}), {x}), HasSubstr("2 operands are inputs"));
  EXPECT_THAT(refusal<ArgumentError>(with("add", {"&", "int32"}, {}), {x}), HasSubstr("more constant operands"));
  EXPECT_THAT(refusal<ArgumentError>(with("add", {"&", "int"}, {1}), {x}), HasSubstr("got \"int\""));
  EXPECT_THAT(refusal<ArgumentError>(with("add", {"&", "uint8"}, {-1}), {x}), HasSubstr("out of range for uint8"));
}

}  // namespace
}  // namespace penstock
