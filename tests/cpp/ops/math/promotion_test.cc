// `arithmetic` on every pair of types: the common type, values against plain code, comparisons by value.
#include <gmock/gmock.h>

#include <cmath>

#include "arithmetic.h"
#include "kernels/arithmetic/function.h"

namespace penstock {
namespace {

using test::all_types;
using test::element;
using test::HostTensor;
using test::list;
using test::result;
using test::truths;
using testing::ElementsAre;

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

}  // namespace
}  // namespace penstock
