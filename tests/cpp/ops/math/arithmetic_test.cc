#include <gmock/gmock.h>

#include <cmath>

#include "../run_op.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/arithmetic/function.h"

namespace penstock {
void register_arithmetic(Registry&);

namespace {

using test::HostTensor;
using test::RunOp;
using testing::ElementsAre;
using testing::HasSubstr;
using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;
using Args = std::map<std::string, ArgValue>;

const OpSchema& arithmetic() {
  static const Registry all = [] {
    Registry r;
    register_arithmetic(r);
    return r;
  }();
  return all.at("arithmetic");
}

HostTensor result(Args args, std::vector<HostTensor> in) {
  const int n = static_cast<int>(in.size());
  return RunOp(arithmetic(), std::move(args), {}, 1, n)(std::move(in))[0];
}

template <class E>
std::string refusal(Args args, std::vector<HostTensor> in) {
  try {
    result(std::move(args), std::move(in));
  } catch (const E& e) {
    return e.message();
  }
  return "accepted";
}

template <class T>
HostTensor list(const std::vector<T>& values) {
  return HostTensor(Shape{static_cast<int64_t>(values.size())}, {}, values);
}

const std::vector<DType>& all_types() {
  static const std::vector<DType> types = {DType::kUInt8,   DType::kUInt16, DType::kUInt32,  DType::kUInt64,
                                           DType::kInt8,    DType::kInt16,  DType::kInt32,   DType::kInt64,
                                           DType::kFloat16, DType::kFloat,  DType::kFloat64, DType::kBool};
  return types;
}

// DALI's table of promotion, written out: rows and columns in the order of all_types(), letters as in NumPy's codes
// (B H I L unsigned, b h i l signed, e f d floating, ? bool).
constexpr const char* kPromotion[] = {"BHILhhilefdB", "HHILiiilefdH", "IIILllllefdI", "LLLLllllefdL",
                                      "hillbhilefdb", "hillhhilefdh", "iilliiilefdi", "llllllllefdl",
                                      "eeeeeeeeefde", "fffffffffFdf", "dddddddddddd", "BHILbhilefd?"};

DType coded(char code) {
  const std::string_view codes = "BHILbhilefd?";
  const size_t i = code == 'F' ? codes.find('f') : codes.find(code);
  return all_types()[i];
}

TEST(CommonType, FollowsDalisTable) {
  for (size_t a = 0; a < 12; ++a)
    for (size_t b = 0; b < 12; ++b)
      EXPECT_EQ(kernels::common_type(all_types()[a], all_types()[b]), coded(kPromotion[a][b]))
          << name_of(all_types()[a]) << ' ' << name_of(all_types()[b]);
  EXPECT_EQ(kernels::common_type(DType::kBFloat16, DType::kFloat16), DType::kFloat);
  EXPECT_EQ(kernels::common_type(DType::kBFloat16, DType::kInt64), DType::kBFloat16);
}

/// Values that reach the ends of the type and both signs.
HostTensor sample_values(DType dtype, uint64_t salt) {
  HostTensor t(TensorDesc{dtype, {300}, {}});
  dispatch_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i < 300; ++i) {
      const uint64_t bits = mix64(salt, i);
      T value{};
      if constexpr (std::is_integral_v<T>)
        value = i % 3 == 0 ? static_cast<T>(bits) : static_cast<T>(static_cast<int>(bits % 11) - 5);
      else
        value = T(static_cast<float>(static_cast<int>(bits % 2001) - 1000) / 16.0f);
      std::memcpy(t.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return t;
}

/// Element i as another type, by a plain C++ conversion.
template <class To>
To element(const HostTensor& t, size_t i) {
  return dispatch_all(t.desc.dtype, [&](auto tag) -> To {
    using T = typename decltype(tag)::type;
    T value{};
    std::memcpy(&value, t.bytes.data() + i * sizeof(T), sizeof(T));
    if constexpr (is_small_float<T>)
      return static_cast<To>(static_cast<float>(value));
    else
      return static_cast<To>(value);
  });
}

__extension__ using Wide = __int128;

Wide integer_reference(const std::string& op, Wide a, Wide b) {
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "mul") return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  if (op == "div") return a / b;
  if (op == "mod") return a % b;
  if (op == "min") return a < b ? a : b;
  if (op == "max") return a > b ? a : b;
  if (op == "bitand") return a & b;
  if (op == "bitor") return a | b;
  if (op == "bitxor") return a ^ b;
  ADD_FAILURE() << op;
  return 0;
}

template <class T>
T float_reference(const std::string& op, T a, T b) {
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "mul") return a * b;
  if (op == "div" || op == "fdiv") return a / b;
  if (op == "mod") return std::fmod(a, b);
  if (op == "min") return a < b ? a : b;
  if (op == "max") return a > b ? a : b;
  if (op == "pow" || op == "fpow") return std::pow(a, b);
  if (op == "atan2") return std::atan2(a, b);
  ADD_FAILURE() << op;
  return 0;
}

void check_integers(const std::string& op, const HostTensor& a, HostTensor b, DType type) {
  dispatch_among<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (op == "div" || op == "mod")
      dispatch_all(b.desc.dtype, [&](auto divisor) {
        using B = typename decltype(divisor)::type;
        for (size_t i = 0; i < 300; ++i)
          if (element<T>(b, i) == 0) reinterpret_cast<B*>(b.bytes.data())[i] = convert_sat<B>(1);
      });
    const HostTensor out = result({{"op", op}}, {a, b});
    ASSERT_EQ(out.desc.dtype, type);
    for (size_t i = 0; i < 300; ++i) {
      const T x = element<T>(a, i), y = element<T>(b, i);
      ASSERT_EQ(element<T>(out, i), static_cast<T>(integer_reference(op, x, y)))
          << op << ' ' << name_of(a.desc.dtype) << ' ' << name_of(b.desc.dtype) << ' ' << +x << ' ' << +y;
    }
  });
}

template <class T>
void check_floats(const std::string& op, const HostTensor& a, const HostTensor& b, DType type) {
  const HostTensor out = result({{"op", op}}, {a, b});
  ASSERT_EQ(out.desc.dtype, type);
  for (size_t i = 0; i < 300; ++i) {
    T wanted = float_reference<T>(op, element<T>(a, i), element<T>(b, i));
    if (type == DType::kFloat16) wanted = static_cast<T>(static_cast<float>(convert_sat<float16>(wanted)));
    const T made = element<T>(out, i);
    if (std::isnan(wanted) && std::isnan(made)) continue;
    ASSERT_EQ(made, wanted) << op << ' ' << name_of(a.desc.dtype) << ' ' << name_of(b.desc.dtype);
  }
}

class EveryPair : public testing::TestWithParam<const char*> {};

TEST_P(EveryPair, AgreesWithPlainCode) {
  const std::string op = GetParam();
  const bool real = op == "fdiv" || op == "fpow" || op == "atan2", bits = op.starts_with("bit");
  for (DType ta : all_types())
    for (DType tb : all_types()) {
      DType type = kernels::common_type(ta, tb);
      if (type == DType::kBool || (bits && is_floating(type))) continue;
      if (real && !is_floating(type)) type = DType::kFloat;
      if (op == "pow" && !is_floating(type)) continue;
      const HostTensor a = sample_values(ta, 1), b = sample_values(tb, 2);
      if (!is_floating(type))
        check_integers(op, a, b, type);
      else if (type == DType::kFloat64)
        check_floats<double>(op, a, b, type);
      else
        check_floats<float>(op, a, b, type);
    }
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, EveryPair,
                         testing::Values("add", "sub", "mul", "div", "mod", "min", "max", "bitand", "bitor", "bitxor",
                                         "fdiv", "pow", "fpow", "atan2"),
                         [](const auto& info) { return std::string(info.param); });

std::vector<bool> truths(const HostTensor& t) {
  EXPECT_EQ(t.desc.dtype, DType::kBool);
  std::vector<bool> list;
  for (std::byte b : t.bytes) list.push_back(b != std::byte{0});
  return list;
}

TEST(Comparison, ComparesEveryPairByValue) {
  for (DType ta : all_types())
    for (DType tb : all_types()) {
      const HostTensor a = sample_values(ta, 1), b = sample_values(tb, 2);
      const DType type = kernels::common_type(ta, tb);
      std::map<std::string, std::vector<bool>> made;
      for (const char* op : {"eq", "neq", "lt", "leq", "gt", "geq"}) made[op] = truths(result({{"op", op}}, {a, b}));
      for (size_t i = 0; i < 300; ++i) {
        int order = 0;  // of integers exactly, of floats in the common type
        const auto compare = [&](auto x, auto y) { order = x < y ? -1 : x > y; };
        if (!is_floating(type))
          compare(element<Wide>(a, i), element<Wide>(b, i));
        else if (type == DType::kFloat64)
          compare(element<double>(a, i), element<double>(b, i));
        else
          compare(element<float>(a, i), element<float>(b, i));
        const auto label = [&] { return std::string(name_of(ta)) + " " + std::string(name_of(tb)); };
        ASSERT_EQ(made["eq"][i], order == 0) << label();
        ASSERT_EQ(made["neq"][i], order != 0) << label();
        ASSERT_EQ(made["lt"][i], order < 0) << label();
        ASSERT_EQ(made["leq"][i], order <= 0) << label();
        ASSERT_EQ(made["gt"][i], order > 0) << label();
        ASSERT_EQ(made["geq"][i], order >= 0) << label();
      }
    }
}

TEST(Comparison, FindsNothingEqualToNaN) {
  const HostTensor nan = list<float>({std::nanf("")}), one = list<float>({1});
  for (const char* op : {"eq", "lt", "leq", "gt", "geq"})
    EXPECT_THAT(truths(result({{"op", op}}, {nan, one})), ElementsAre(false)) << op;
  EXPECT_THAT(truths(result({{"op", "neq"}}, {nan, one})), ElementsAre(true));
}

// Values observed in DALI 2.4.
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

// Broadcasting
// ---------------------------------------------------------------------------------------------------------

/// The sum of two tensors by the definition of broadcasting, element by element.
std::vector<float> broadcast_sum(const HostTensor& a, const HostTensor& b, const Shape& shape) {
  const auto pick = [&](const HostTensor& t, int64_t i) {
    int64_t offset = 0, stride = 1;
    for (int d = 1; d <= shape.ndim(); ++d) {
      const int64_t index = i % shape[shape.ndim() - d];
      i /= shape[shape.ndim() - d];
      if (d > t.desc.shape.ndim()) continue;
      const int64_t extent = t.desc.shape[t.desc.shape.ndim() - d];
      if (extent > 1) offset += index * stride;
      stride *= extent;
    }
    return element<float>(t, static_cast<size_t>(offset));
  };
  std::vector<float> sums;
  for (int64_t i = 0; i < shape.volume(); ++i) sums.push_back(pick(a, i) + pick(b, i));
  return sums;
}

template <class T>
HostTensor counted(Shape shape, Layout layout = {}) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.volume(); ++i) values.push_back(static_cast<T>(i));
  return HostTensor(shape, layout, values);
}

TEST(Broadcasting, FollowsNumPy) {
  const std::vector<std::array<Shape, 3>> cases = {
      {Shape{2, 3}, Shape{3}, Shape{2, 3}},
      {Shape{2, 3}, Shape{2, 1}, Shape{2, 3}},
      {Shape{2, 1}, Shape{1, 3}, Shape{2, 3}},
      {Shape{2, 3}, Shape{}, Shape{2, 3}},
      {Shape{}, Shape{}, Shape{}},
      {Shape{1}, Shape{}, Shape{1}},
      {Shape{40, 50, 3}, Shape{3}, Shape{40, 50, 3}},  // a value per channel
      {Shape{40, 50, 3}, Shape{40, 50, 1}, Shape{40, 50, 3}},
      {Shape{3, 40, 50}, Shape{3, 1, 1}, Shape{3, 40, 50}},
      {Shape{5, 700}, Shape{700}, Shape{5, 700}},  // a period longer than a block
      {Shape{700, 1}, Shape{1, 3}, Shape{700, 3}},
      {Shape{2, 1, 2, 1, 2, 1, 2, 1}, Shape{1, 2, 1, 2, 1, 2, 1, 2}, Shape{2, 2, 2, 2, 2, 2, 2, 2}},
      {Shape{0, 3}, Shape{1}, Shape{0, 3}},
      {Shape{1, 0}, Shape{3, 1}, Shape{3, 0}},
  };
  for (const auto& [a, b, shape] : cases) {
    for (bool swapped : {false, true}) {
      const HostTensor x = counted<float>(swapped ? b : a), y = counted<uint8_t>(swapped ? a : b);
      const HostTensor out = result({{"op", "add"}}, {x, y});
      ASSERT_EQ(out.desc.shape, shape);
      ASSERT_EQ(out.values<float>(), broadcast_sum(x, y, shape)) << to_string(a) << " " << to_string(b);
    }
  }
  EXPECT_THAT(refusal<ArgumentError>({{"op", "add"}}, {counted<float>({2, 3}), counted<float>({2})}),
              HasSubstr("Can't broadcast shapes: (2, 3) and (2,)"));
  EXPECT_THAT(refusal<ArgumentError>({{"op", "add"}}, {counted<float>({0}), counted<float>({2})}),
              HasSubstr("Can't broadcast"));
}

TEST(Broadcasting, KeepsTheLongerLayout) {
  const auto layout = [](Layout a, Layout b, Shape sa, Shape sb) {
    return result({{"op", "add"}}, {counted<float>(sa, a), counted<float>(sb, b)}).desc.layout.str();
  };
  EXPECT_EQ(layout("HWC", {}, {2, 2, 3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout({}, "HWC", {2, 2, 3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout("C", "HWC", {3}, {2, 2, 3}), "HWC");
  EXPECT_EQ(layout("WC", {}, {2, 3}, {2, 2, 3}), "");
  const std::string message =
      refusal<ArgumentError>({{"op", "add"}}, {counted<float>({2, 2, 3}, "HWC"), counted<float>({2, 2, 3}, "CHW")});
  EXPECT_THAT(message, HasSubstr("They must be equal or one must be a suffix of the other. Got HWC and CHW"));
}

TEST(Regions, AreAskedForAndMadeWherePossible) {
  const HostTensor picture = test::test_image(9, 8);
  const std::vector<HostTensor> others = {
      test::test_image(9, 8),    counted<float>({3}, "C"),         counted<float>({8, 3}, "WC"),
      counted<float>({9, 8, 3}), counted<float>({9, 1, 1}, "HWC"), counted<float>({8, 1}),
      counted<float>({}),
  };
  const Region wanted{2, 1, 6, 5};
  for (const HostTensor& other : others) {
    RunOp op(arithmetic(), {{"op", "sub"}}, {}, 1, 2);
    const HostTensor full = op({picture, other})[0];
    EXPECT_EQ(op({picture, other}, &wanted)[0].bytes, cut_out(full, wanted).bytes)
        << to_string(other.desc.shape) << other.desc.layout.str();
    EXPECT_EQ(op.needed()[0], wanted);
  }
}

}  // namespace
}  // namespace penstock
