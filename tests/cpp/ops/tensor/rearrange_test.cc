// Operators that move elements: transpose, cat, stack, copy, _tensor_subscript.
#include <gmock/gmock.h>

#include "../run_op.h"

namespace penstock {
void register_transpose(Registry&);
void register_cat(Registry&);
void register_stack(Registry&);
void register_copy(Registry&);
void register_subscript(Registry&);

namespace {

using test::Args;
using test::HostTensor;
using test::Ints;
using test::RunOp;
using testing::ElementsAre;
using testing::HasSubstr;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_transpose, register_cat, register_stack, register_copy, register_subscript});
  return all;
}

template <class T = uint8_t>
HostTensor counted(Shape shape, Layout layout = {}) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.volume(); ++i) values.push_back(static_cast<T>(i));
  return HostTensor(shape, layout, values);
}

HostTensor result(const std::string& op, Args args, std::vector<HostTensor> in) {
  const int n = static_cast<int>(in.size());
  return RunOp(ops().at(op), std::move(args), {}, 1, n)(std::move(in))[0];
}

template <class E = ArgumentError>
std::string refusal(const std::string& op, Args args, std::vector<HostTensor> in) {
  return test::message_of<E>([&] { result(op, std::move(args), std::move(in)); });
}

template <class T>
void check_transposed(const HostTensor& in, const HostTensor& out, const Ints& perm) {
  const std::vector<T> from = in.values<T>(), to = out.values<T>();
  for (int64_t i = 0; i < out.desc.shape.volume(); ++i) {
    int64_t rest = i, source = 0;
    std::vector<int64_t> index(perm.size());
    for (int d = out.desc.shape.ndim() - 1; d >= 0; --d) {
      index[static_cast<size_t>(perm[static_cast<size_t>(d)])] = rest % out.desc.shape[d];
      rest /= out.desc.shape[d];
    }
    for (size_t d = 0; d < index.size(); ++d) source = source * in.desc.shape[static_cast<int>(d)] + index[d];
    ASSERT_EQ(to[static_cast<size_t>(i)], from[static_cast<size_t>(source)]) << "element " << i;
  }
}

TEST(Transpose, MovesEveryElementForAllPermutationsAndElementSizes) {
  Ints perm = {0, 1, 2, 3};
  const Shape shape = {3, 70, 5, 33};
  do {
    check_transposed<uint8_t>(counted<uint8_t>(shape), result("transpose", {{"perm", perm}}, {counted<uint8_t>(shape)}),
                              perm);
    check_transposed<uint16_t>(counted<uint16_t>(shape),
                               result("transpose", {{"perm", perm}}, {counted<uint16_t>(shape)}), perm);
    check_transposed<float>(counted<float>(shape), result("transpose", {{"perm", perm}}, {counted<float>(shape)}),
                            perm);
    check_transposed<int64_t>(counted<int64_t>(shape), result("transpose", {{"perm", perm}}, {counted<int64_t>(shape)}),
                              perm);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(Transpose, CarriesTheLayout) {
  const HostTensor in = counted({2, 3, 4}, "HWC");
  EXPECT_EQ(result("transpose", {}, {in}).desc, (TensorDesc{DType::kUInt8, {4, 3, 2}, "CWH"}));
  EXPECT_EQ(result("transpose", {{"perm", Ints{2, 0, 1}}}, {in}).desc.layout, "CHW");
  EXPECT_EQ(result("transpose", {{"perm", Ints{2, 0, 1}}, {"transpose_layout", false}}, {in}).desc.layout, "HWC");
  EXPECT_EQ(result("transpose", {{"perm", Ints{2, 0, 1}}, {"output_layout", "XYZ"}}, {in}).desc.layout, "XYZ");
  EXPECT_EQ(result("transpose", {}, {counted({})}).desc.shape, Shape{});
  EXPECT_EQ(result("transpose", {}, {counted({0, 3})}).desc.shape, (Shape{3, 0}));
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  const HostTensor in = counted({2, 3, 4}, "HWC");
  EXPECT_THAT(refusal("transpose", {{"perm", Ints{0, 1}}}, {in}),
              HasSubstr("different dimensionality (3) than the length of the permutation (2)"));
  EXPECT_THAT(refusal("transpose", {{"perm", Ints{0, 0, 1}}}, {in}), HasSubstr("Invalid permutation"));
  EXPECT_THAT(refusal("transpose", {{"perm", Ints{0, 1, 3}}}, {in}), HasSubstr("Invalid permutation"));
  EXPECT_THAT(refusal("transpose", {{"output_layout", ""}}, {in}), HasSubstr("empty output layout"));
  EXPECT_THAT(refusal("transpose", {{"output_layout", "XY"}}, {in}), HasSubstr("2 letters"));
}

TEST(Cat, JoinsAlongTheAxis) {
  const HostTensor a = counted({2, 2}, "HW"), b = counted({2, 1});
  const HostTensor out = result("cat", {{"axis", int64_t{-1}}}, {a, b, a});
  EXPECT_EQ(out.desc, (TensorDesc{DType::kUInt8, {2, 5}, "HW"}));
  EXPECT_THAT(out.values<uint8_t>(), ElementsAre(0, 1, 0, 0, 1, 2, 3, 1, 2, 3));
  EXPECT_THAT(result("cat", {{"axis_name", "W"}}, {a, b}).values<uint8_t>(), ElementsAre(0, 1, 0, 2, 3, 1));
  EXPECT_THAT(result("cat", {}, {counted({1, 2}), counted({2, 2})}).values<uint8_t>(), ElementsAre(0, 1, 0, 1, 2, 3));
}

TEST(Cat, SkipsEmptyInputs) {
  EXPECT_EQ(result("cat", {}, {counted({0, 5}), counted({2, 3})}).desc.shape, (Shape{2, 3}));
  EXPECT_EQ(result("cat", {{"axis", int64_t{1}}}, {counted({2, 0}), counted({2, 3})}).desc.shape, (Shape{2, 3}));
  EXPECT_EQ(result("cat", {}, {counted({0, 5}), counted({0, 3})}).desc.shape, (Shape{0, 5}));
}

TEST(Cat, RefusesInputsThatDoNotFit) {
  const HostTensor a = counted({2, 3, 4}, "HWC"), b = counted({2, 1, 4});
  EXPECT_THAT(refusal("cat", {}, {a, b}), HasSubstr("can differ in size only in the concatenation axis (0)"));
  EXPECT_THAT(refusal("cat", {}, {a, counted<int8_t>({2, 3, 4})}), HasSubstr("same type and number of dimensions"));
  EXPECT_THAT(refusal("cat", {}, {a, counted({2, 3})}), HasSubstr("same type and number of dimensions"));
  EXPECT_THAT(refusal("cat", {{"axis", int64_t{3}}}, {a, b}), HasSubstr("Accepted range is [-3, 2]"));
  EXPECT_THAT(refusal("cat", {}, {counted({})}), HasSubstr("Accepted range is [0, -1]"));
  EXPECT_THAT(refusal("cat", {{"axis_name", "X"}}, {a, b}), HasSubstr("undefined axis 'X' for layout \"HWC\""));
  EXPECT_THAT(refusal("cat", {{"axis_name", "WX"}}, {a, b}), HasSubstr("must be a single character"));
  EXPECT_THAT(refusal("cat", {{"axis_name", "W"}, {"axis", int64_t{1}}}, {a, b}), HasSubstr("cannot be used together"));
}

TEST(Cat, TakesTheLayoutOfTheFirstInputThatHasOne) {
  const HostTensor none = counted({2, 1, 4}), hwc = counted({2, 3, 4}, "HWC"), chw = counted({2, 1, 4}, "CHW");
  const Args args = {{"axis", int64_t{1}}};
  EXPECT_EQ(result("cat", args, {hwc, chw}).desc.layout, "HWC");
  EXPECT_EQ(result("cat", args, {none, chw, hwc}).desc.layout, "CHW");
}

TEST(Stack, JoinsAlongANewAxis) {
  const HostTensor a = counted({2, 2}, "HW"), b = counted({2, 2});
  EXPECT_EQ(result("stack", {}, {a, b}).desc, (TensorDesc{DType::kUInt8, {2, 2, 2}, {}}));
  EXPECT_THAT(result("stack", {{"axis", int64_t{-1}}}, {a, b}).values<uint8_t>(), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(result("stack", {{"axis", int64_t{1}}}, {a, b}).values<uint8_t>(), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_EQ(result("stack", {{"axis", int64_t{1}}, {"axis_name", "N"}}, {a, b}).desc.layout, "HNW");
  EXPECT_EQ(result("stack", {{"axis_name", "N"}}, {counted({}), counted({})}).desc,
            (TensorDesc{DType::kUInt8, {2}, "N"}));
}

TEST(Stack, RefusesInputsThatDiffer) {
  const HostTensor a = counted({2, 2});
  EXPECT_THAT(refusal("stack", {}, {a, counted({2, 1})}), HasSubstr("stacking requires that all tensors"));
  EXPECT_THAT(refusal("stack", {{"axis", int64_t{3}}}, {a}), HasSubstr("Accepted range is [-2, 2]"));
  EXPECT_THAT(refusal("stack", {{"axis", int64_t{-1}}}, {counted({})}), HasSubstr("Accepted range is [0, 0]"));
  EXPECT_THAT(refusal("stack", {{"axis_name", "N"}}, {a}), HasSubstr("requires a non-empty input layout"));
}

TEST(Copy, CopiesOnlyTheRegionThatIsWanted) {
  const HostTensor in = test::test_image(8, 9);
  EXPECT_EQ(result("copy", {}, {in}).bytes, in.bytes);
  RunOp op(ops().at("copy"));
  const PlaneRegion wanted{2, 1, 5, 7};
  EXPECT_EQ(op({in}, &wanted)[0].bytes, cut_out(in, wanted).bytes);
  EXPECT_EQ(op.needed()[0], wanted);
}

HostTensor indexed(Args args, const HostTensor& in) { return result("_tensor_subscript", std::move(args), {in}); }

TEST(Subscript, AgreesWithPythonOnEverySliceOfAShortAxis) {
  const HostTensor in = counted({5, 3});
  const auto python = [](std::optional<int64_t> lo, std::optional<int64_t> hi, int64_t step) {
    std::vector<uint8_t> rows;  // the reference: walk and test, no arithmetic shared with the operator
    const auto wrap = [](int64_t i) { return i < 0 ? i + 5 : i; };
    for (int64_t i = step > 0 ? 0 : 4; i >= 0 && i<5; i += step> 0 ? 1 : -1) {
      const bool after = !lo || (step > 0 ? i >= wrap(*lo) : i <= wrap(*lo));
      const bool before = !hi || (step > 0 ? i < wrap(*hi) : i > wrap(*hi));
      if (after && before) rows.push_back(static_cast<uint8_t>(i));
    }
    std::vector<uint8_t> kept;
    for (size_t i = 0; i < rows.size(); i += static_cast<size_t>(std::abs(step))) kept.push_back(rows[i]);
    return kept;
  };
  std::vector<std::optional<int64_t>> bounds = {std::nullopt};
  for (int64_t i = -8; i <= 8; ++i) bounds.emplace_back(i);
  for (const auto& lo : bounds)
    for (const auto& hi : bounds)
      for (int64_t step : {-7, -2, -1, 1, 2, 3, 7}) {
        Args args = {{"step_0", step}};
        if (lo) args["lo_0"] = *lo;
        if (hi) args["hi_0"] = *hi;
        const std::vector<uint8_t> rows = python(lo, hi, step), out = indexed(args, in).values<uint8_t>();
        ASSERT_EQ(out.size(), rows.size() * 3) << lo.value_or(99) << ":" << hi.value_or(99) << ":" << step;
        for (size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(out[i * 3 + 1], rows[i] * 3 + 1);
      }
}

TEST(Subscript, RemovesIndexedAxesAndTheirLetters) {
  const HostTensor in = counted({2, 3, 4}, "HWC");
  EXPECT_EQ(indexed({{"at_0", int64_t{-1}}}, in).desc, (TensorDesc{DType::kUInt8, {3, 4}, "WC"}));
  EXPECT_EQ(indexed({{"at_1", int64_t{1}}}, in).desc.layout, "HC");
  EXPECT_THAT(indexed({{"at_0", int64_t{0}}, {"at_1", int64_t{1}}, {"at_2", int64_t{2}}}, in).values<uint8_t>(),
              ElementsAre(6));
  EXPECT_THAT(indexed({{"at_0", int64_t{1}}, {"lo_1", int64_t{2}}, {"step_2", int64_t{-2}}}, in).values<uint8_t>(),
              ElementsAre(23, 21));
  EXPECT_EQ(indexed({{"step_0", std::numeric_limits<int64_t>::min()}}, in).desc.shape, (Shape{1, 3, 4}));
}

TEST(Subscript, TakesIndicesPerSample) {
  const HostTensor in = counted({2, 3}), one(Shape{}, {}, std::vector<uint8_t>{1});
  const auto at_run_time = [&](const char* name) {
    return RunOp(ops().at("_tensor_subscript"), {}, {{name, one}})({in})[0].values<uint8_t>();
  };
  EXPECT_THAT(at_run_time("at_0"), ElementsAre(3, 4, 5));
  EXPECT_THAT(at_run_time("lo_1"), ElementsAre(1, 2, 4, 5));
}

TEST(Subscript, RefusesWhatDoesNotExist) {
  const HostTensor in = counted({2, 3, 4});
  EXPECT_THAT(refusal<IndexError>("_tensor_subscript", {{"at_0", int64_t{2}}}, {in}),
              HasSubstr("Index 2 is out of range for axis 0 of length 2"));
  EXPECT_THAT(refusal<IndexError>("_tensor_subscript", {{"at_0", int64_t{-3}}}, {in}), HasSubstr("out of range"));
  EXPECT_THAT(refusal("_tensor_subscript", {{"at_3", int64_t{0}}}, {in}), HasSubstr("Too many indices (4)"));
  EXPECT_THAT(refusal("_tensor_subscript", {{"at_0", int64_t{0}}, {"num_subscripts", int64_t{33}}}, {in}),
              HasSubstr("Too many indices (33)"));
  EXPECT_THAT(refusal("_tensor_subscript", {{"step_1", int64_t{0}}}, {in}), HasSubstr("Step cannot be zero"));
  EXPECT_THAT(refusal("_tensor_subscript", {{"at_0", int64_t{0}}}, {counted({})}), HasSubstr("scalar"));
  EXPECT_THAT(refusal("_tensor_subscript", {{"at_0", int64_t{0}}, {"lo_0", int64_t{0}}}, {in}),
              HasSubstr("an index and a range"));
  EXPECT_THAT(refusal("_subscript_dim_check", {{"num_subscripts", int64_t{4}}}, {in}), HasSubstr("Too many indices"));
}

}  // namespace
}  // namespace penstock
