// Operators that change a tensor's descriptor only: reshape, reinterpret, expand_dims, squeeze.
#include <gmock/gmock.h>

#include "../run_op.h"

namespace penstock {
void register_reshape(Registry&);
void register_reinterpret(Registry&);
void register_expand_dims(Registry&);
void register_squeeze(Registry&);

namespace {

using test::Args;
using test::Floats;
using test::HostTensor;
using test::Ints;
using test::RunOp;
using testing::HasSubstr;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_reshape, register_reinterpret, register_expand_dims, register_squeeze});
  return all;
}

HostTensor picture(Shape shape, Layout layout = "HWC") {
  std::vector<uint8_t> values(static_cast<size_t>(shape.volume()));
  std::iota(values.begin(), values.end(), uint8_t{0});
  return HostTensor(shape, layout, values);
}

TensorDesc result(const std::string& op, Args args, const HostTensor& in) {
  const HostTensor out = RunOp(ops().at(op), std::move(args))({in})[0];
  EXPECT_EQ(out.bytes, in.bytes);
  return out.desc;
}

template <class E = ArgumentError>
std::string refusal(const std::string& op, Args args, const HostTensor& in) {
  return test::message_of<E>([&] { RunOp(ops().at(op), std::move(args))({in}); });
}

constexpr auto u8 = DType::kUInt8;

TEST(Reshape, GivesTheShapeThatWasAskedFor) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_EQ(result("reshape", {{"shape", Ints{6, 4}}}, in), (TensorDesc{u8, {6, 4}, {}}));
  EXPECT_EQ(result("reshape", {{"shape", Ints{-1, 4}}}, in), (TensorDesc{u8, {6, 4}, {}}));
  EXPECT_EQ(result("reshape", {{"shape", Ints{3, 2, 4}}}, in), (TensorDesc{u8, {3, 2, 4}, "HWC"}));
  EXPECT_EQ(result("reshape", {{"shape", int64_t{24}}}, in), (TensorDesc{u8, {24}, {}}));
  EXPECT_EQ(result("reshape", {{"shape", Ints{}}}, picture({1}, {})), (TensorDesc{u8, {}, {}}));
}

TEST(Reshape, ScalesExtentsByRelShape) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_EQ(result("reshape", {{"rel_shape", Floats{.5, 2, 1}}}, in).shape, (Shape{1, 6, 4}));
  EXPECT_EQ(result("reshape", {{"rel_shape", Floats{1, -1}}}, in).shape, (Shape{2, 12}));
  EXPECT_EQ(result("reshape", {{"rel_shape", Floats{1, 1, 1, -1}}}, in).shape, (Shape{2, 3, 4, 1}));
  EXPECT_EQ(result("reshape", {{"rel_shape", Floats{2, .5, 1}}, {"src_dims", Ints{1, 0, 2}}}, in).shape,
            (Shape{6, 1, 4}));
}

TEST(Reshape, TakesExtentsFromSrcDims) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_EQ(result("reshape", {{"src_dims", Ints{1, 0, 2}}}, in), (TensorDesc{u8, {3, 2, 4}, "HWC"}));
  EXPECT_EQ(result("reshape", {{"src_dims", Ints{1, 0, 2, -1}}}, in), (TensorDesc{u8, {3, 2, 4, 1}, {}}));
}

TEST(Reshape, ChangesOrClearsTheLayout) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_EQ(result("reshape", {{"layout", "ABC"}}, in), (TensorDesc{u8, {2, 3, 4}, "ABC"}));
  EXPECT_EQ(result("reshape", {{"layout", ""}}, in), (TensorDesc{u8, {2, 3, 4}, {}}));
}

TEST(Reshape, TakesTheShapeFromASecondInputOrPerSample) {
  const HostTensor in = picture({2, 3, 4}), shape(Shape{2}, {}, std::vector<int16_t>{4, 6});
  EXPECT_EQ(RunOp(ops().at("reshape"), {}, {}, 1, 2)({in, shape})[0].desc.shape, (Shape{4, 6}));
  EXPECT_EQ(RunOp(ops().at("reshape"), {}, {{"shape", shape}})({in})[0].desc.shape, (Shape{4, 6}));
  const HostTensor none(Shape{2}, {}, std::vector<int32_t>{0, 6});
  EXPECT_EQ(RunOp(ops().at("reshape"), {}, {{"shape", none}})({picture({0, 3}, {})})[0].desc.shape, (Shape{0, 6}));
  const HostTensor floats(Shape{2}, {}, std::vector<float>{4, 6});
  EXPECT_THROW(RunOp(ops().at("reshape"), {}, {}, 1, 2)({in, floats}), TypeError);
}

TEST(Reshape, RefusesShapesThatCannotBe) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_THAT(refusal("reshape", {}, in), HasSubstr("no-op"));
  EXPECT_THAT(refusal("reshape", {{"rel_shape", Floats{1, NAN}}}, in), HasSubstr("`rel_shape[1]` is not a number"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{-1, -1}}}, in), HasSubstr("Only one negative extent is allowed"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{0, 4}}}, in), HasSubstr("Extent of 0 is illegal"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{5, 4}}}, in), HasSubstr("must occupy the same size in bytes"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{-1, 7}}}, in), HasSubstr("must occupy the same size in bytes"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{int64_t{1} << 62, 4, -1}}}, in), HasSubstr("too large"));
  EXPECT_THAT(refusal("reshape", {{"shape", Ints{24}}, {"rel_shape", Floats{1}}}, in), HasSubstr("exclusive"));
  EXPECT_THAT(refusal("reshape", {{"rel_shape", Floats{1, 1, 1, 1}}}, in), HasSubstr("more elements (4)"));
  EXPECT_THAT(refusal("reshape", {{"rel_shape", Floats{2, .5}}, {"src_dims", Ints{1, 0, 2}}}, in),
              HasSubstr("different lengths: 3 vs 2"));
  EXPECT_THAT(refusal("reshape", {{"src_dims", Ints{0, 5}}}, in), HasSubstr("`src_dims[1] == 5` is out of bounds"));
  EXPECT_THAT(refusal("reshape", {{"layout", "AB"}}, in), HasSubstr("2 letters"));
}

TEST(Reinterpret, ReadsBytesAsAnotherType) {
  const HostTensor in = picture({2, 3, 4});
  const auto type = [](DType t) { return ArgValue(static_cast<int64_t>(t)); };
  EXPECT_EQ(result("reinterpret", {{"dtype", type(DType::kUInt16)}}, in),
            (TensorDesc{DType::kUInt16, {2, 3, 2}, "HWC"}));
  EXPECT_EQ(result("reinterpret", {{"dtype", type(DType::kUInt32)}, {"shape", Ints{2, -1}}}, in).shape, (Shape{2, 3}));
  EXPECT_EQ(result("reinterpret", {{"dtype", type(DType::kUInt32)}, {"src_dims", Ints{0, 1, 2}}}, in).shape,
            (Shape{2, 3, 1}));
  EXPECT_THAT(refusal("reinterpret", {{"dtype", type(DType::kInt64)}}, in), HasSubstr("not divisible"));
  EXPECT_THAT(refusal("reinterpret", {{"dtype", type(DType::kInt64)}}, picture({}, {})), HasSubstr("not divisible"));
}

TEST(ExpandDims, InsertsAxes) {
  const HostTensor in = picture({2, 3, 4});
  EXPECT_EQ(result("expand_dims", {{"axes", Ints{0}}}, in), (TensorDesc{u8, {1, 2, 3, 4}, {}}));
  EXPECT_EQ(result("expand_dims", {{"axes", Ints{3}}}, in).shape, (Shape{2, 3, 4, 1}));
  EXPECT_EQ(result("expand_dims", {{"axes", Ints{2, 0}}, {"new_axis_names", "FD"}}, in),
            (TensorDesc{u8, {1, 2, 1, 3, 4}, "DHFWC"}));
  EXPECT_EQ(result("expand_dims", {{"axes", Ints{}}}, in), in.desc);
  EXPECT_EQ(result("expand_dims", {{"axes", Ints{0}}, {"new_axis_names", "F"}}, picture({}, {})),
            (TensorDesc{u8, {1}, "F"}));
}

TEST(ExpandDims, RefusesAxesThatCannotBe) {
  const HostTensor in = picture({2, 3, 4}), bare = picture({2, 3, 4}, {});
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{4}}}, in), HasSubstr("not enough dimensions"));
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{-1}}}, in), HasSubstr("can't be negative"));
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{0, 0}}}, in), HasSubstr("Duplicate axis index"));
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{0}}, {"new_axis_names", "FD"}}, in), HasSubstr("2 letters"));
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{0}}, {"new_axis_names", "F"}}, bare), HasSubstr("with a layout"));
  EXPECT_THAT(refusal("expand_dims", {{"axes", Ints{0}}}, picture({1, 1, 1, 1, 1, 1, 1, 1}, {})),
              HasSubstr("at most 8 dimensions"));
}

TEST(Squeeze, RemovesAxes) {
  const HostTensor in = picture({1, 3, 1});
  EXPECT_EQ(result("squeeze", {{"axes", Ints{0}}}, in), (TensorDesc{u8, {3, 1}, "WC"}));
  EXPECT_EQ(result("squeeze", {{"axes", Ints{0, 2}}}, in), (TensorDesc{u8, {3}, "W"}));
  EXPECT_EQ(result("squeeze", {{"axis_names", "CH"}}, in), (TensorDesc{u8, {3}, "W"}));
  EXPECT_EQ(result("squeeze", {{"axes", Ints{}}}, in), in.desc);
  EXPECT_EQ(result("squeeze", {{"axes", Ints{0}}}, picture({1}, {})).shape, Shape{});
}

TEST(Squeeze, RefusesAxesThatCannotGo) {
  const HostTensor in = picture({1, 3, 1});
  EXPECT_THAT(refusal("squeeze", {}, in), HasSubstr("Missing argument"));
  EXPECT_THAT(refusal("squeeze", {{"axes", Ints{0}}, {"axis_names", "H"}}, in), HasSubstr("Provided both"));
  EXPECT_THAT(refusal("squeeze", {{"axes", Ints{1}}}, in), HasSubstr("only axes of extent 1"));
  EXPECT_THAT(refusal("squeeze", {{"axes", Ints{3}}}, in), HasSubstr("Expected range is [-3, 2] for a 3D input"));
  EXPECT_THAT(refusal("squeeze", {{"axes", Ints{0, -3}}}, in), HasSubstr("more than once"));
  EXPECT_THAT(refusal("squeeze", {{"axis_names", "X"}}, in), HasSubstr("Axis 'X' is not present"));
}

}  // namespace
}  // namespace penstock
