// Operators that make values: cast, one_hot, constant, full, zeros, ones, get_property, shapes.
#include <gmock/gmock.h>

#include "../run_op.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/convert/convert.h"

namespace penstock {
void register_cast(Registry&);
void register_cast_like(Registry&);
void register_one_hot(Registry&);
void register_constant(Registry&);
void register_full(Registry&);
void register_zeros(Registry&);
void register_ones(Registry&);
void register_get_property(Registry&);
void register_shapes(Registry&);

namespace {

using test::Args;
using test::Floats;
using test::HostTensor;
using test::Ints;
using test::RunOp;
using testing::ElementsAre;
using testing::HasSubstr;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_cast, register_cast_like, register_one_hot, register_constant, register_full,
                         register_zeros, register_ones, register_get_property, register_shapes});
  return all;
}

ArgValue type(DType t) { return static_cast<int64_t>(t); }

HostTensor result(const std::string& op, Args args, std::vector<HostTensor> in) {
  const int n = static_cast<int>(in.size());
  return RunOp(ops().at(op), std::move(args), {}, 1, n)(std::move(in))[0];
}

template <class E = ArgumentError>
std::string refusal(const std::string& op, Args args, std::vector<HostTensor> in) {
  return test::message_of<E>([&] { result(op, std::move(args), std::move(in)); });
}

TEST(Convert, FollowsTheSaturatingRuleForEveryPairOfTypes) {
  std::vector<double> numbers = {0,         -0.0,  .5,    1.5,   2.5,   -.5,    -1.5,
                                 .49999997, 126.5, 127.5, 254.5, 255.5, -128.5, 65535.5};
  for (double x : {1e3, 4e4, 7e4, 3e9, 5e9, 1e19, 2e19}) numbers.insert(numbers.end(), {x, -x});
  for (double x : {std::numeric_limits<double>::infinity(), std::nan("")}) numbers.insert(numbers.end(), {x, -x});
  for (int from = 0; from <= 11; ++from)
    for (int to = 0; to <= 11; ++to)
      dispatch_all(static_cast<DType>(from), [&](auto source) {
        dispatch_all(static_cast<DType>(to), [&](auto target) {
          using From = typename decltype(source)::type;
          using To = typename decltype(target)::type;
          HostTensor in(TensorDesc{dtype_of<From>, {static_cast<int64_t>(numbers.size())}, {}});
          HostTensor out(TensorDesc{dtype_of<To>, in.desc.shape, {}}), wanted = out;
          auto* values = reinterpret_cast<From*>(in.bytes.data());
          for (size_t i = 0; i < numbers.size(); ++i) {
            values[i] = convert_sat<From>(numbers[i]);
            reinterpret_cast<To*>(wanted.bytes.data())[i] = convert_sat<To>(values[i]);
          }
          kernels::convert(in.desc.dtype, in.bytes.data(), out.desc.dtype, out.bytes.data(), in.desc.shape.volume());
          EXPECT_EQ(out.bytes, wanted.bytes) << name_of(in.desc.dtype) << " to " << name_of(out.desc.dtype);
        });
      });
}

TEST(Cast, ConvertsOnlyTheRegionThatIsWanted) {
  const HostTensor in = test::test_image(8, 9);
  RunOp op(ops().at("cast"), {{"dtype", type(DType::kFloat)}});
  const HostTensor full = op({in})[0];
  EXPECT_EQ(full.desc, (TensorDesc{DType::kFloat, {8, 9, 3}, "HWC"}));
  const PlaneRegion wanted{2, 1, 5, 7};
  EXPECT_EQ(op({in}, &wanted)[0].bytes, cut_out(full, wanted).bytes);
  EXPECT_EQ(op.needed()[0], wanted);
}

TEST(Cast, TakesTheTypeOfAnotherTensor) {
  const HostTensor in(Shape{2}, {}, std::vector<float>{1.5f, 300}), like(Shape{}, {}, std::vector<uint8_t>{0});
  EXPECT_THAT(result("cast_like", {}, {in, like}).values<uint8_t>(), ElementsAre(2, 255));
  EXPECT_THAT(refusal<TypeError>("cast", {{"dtype", int64_t{24}}}, {in}), HasSubstr("not an element type"));
  EXPECT_TRUE(result("cast", {{"dtype", type(DType::kInt8)}}, {HostTensor({DType::kFloat, {0, 3}, {}})}).bytes.empty());
}

TEST(OneHot, PutsTheAxisOfClassesWhereItWasAskedFor) {
  const HostTensor labels(Shape{2}, "C", std::vector<int32_t>{1, 2});
  EXPECT_THAT(result("one_hot", {{"num_classes", int64_t{3}}}, {labels}).values<float>(),
              ElementsAre(0, 1, 0, 0, 0, 1));
  const Args first = {{"num_classes", int64_t{3}}, {"axis", int64_t{0}}, {"dtype", type(DType::kInt8)},
                      {"on_value", 300.},          {"off_value", -1.},   {"axis_name", "N"}};
  const HostTensor out = result("one_hot", first, {labels});
  EXPECT_EQ(out.desc, (TensorDesc{DType::kInt8, {3, 2}, "NC"}));
  EXPECT_THAT(out.values<int8_t>(), ElementsAre(-1, -1, 127, -1, -1, 127));
}

TEST(OneHot, TurnsOneElementIntoAVectorUnlessTheAxisIsGiven) {
  for (Shape shape : {Shape{}, Shape{1}, Shape{1, 1}}) {
    const HostTensor label(shape, {}, std::vector<int32_t>{1});
    EXPECT_EQ(result("one_hot", {{"num_classes", int64_t{3}}}, {label}).desc.shape, Shape{3});
    Shape longer = shape;
    longer.push_back(3);
    EXPECT_EQ(result("one_hot", {{"num_classes", int64_t{3}}, {"axis", int64_t{-1}}}, {label}).desc.shape, longer);
  }
}

TEST(OneHot, LeavesLabelsOutsideTheClassesOff) {
  const HostTensor labels(Shape{5}, {}, std::vector<float>{1.7f, -.5f, 2, -1, std::nanf("")});
  EXPECT_THAT(result("one_hot", {{"num_classes", int64_t{2}}}, {labels}).values<float>(),
              ElementsAre(0, 1, 1, 0, 0, 0, 0, 0, 0, 0));
  const HostTensor large(Shape{2}, {}, std::vector<uint64_t>{~uint64_t{0}, 1});
  EXPECT_THAT(result("one_hot", {{"num_classes", int64_t{2}}}, {large}).values<float>(), ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(result("one_hot", {}, {labels}).desc.shape, (Shape{5, 0}));
}

TEST(OneHot, RefusesWrongArguments) {
  const HostTensor labels(Shape{2}, {}, std::vector<int32_t>{1, 2}), flags(Shape{2}, {}, std::vector<uint8_t>{1, 0});
  EXPECT_THAT(refusal("one_hot", {{"axis", int64_t{2}}}, {labels}), HasSubstr("outside of allowed range, got: 2"));
  EXPECT_THAT(refusal("one_hot", {{"axis_name", "NO"}}, {labels}), HasSubstr("Unsupported axis_name value"));
  EXPECT_THAT(refusal("one_hot", {{"axis_name", "N"}}, {labels}), HasSubstr("Input layout mismatch"));
  EXPECT_THAT(refusal("one_hot", {{"num_classes", int64_t{-1}}}, {labels}), HasSubstr("must not be negative"));
  EXPECT_THAT(refusal<TypeError>("one_hot", {}, {HostTensor({DType::kBool, {2}, {}})}), HasSubstr("input type: bool"));
}

TEST(Constant, HoldsTheGivenValues) {
  EXPECT_THAT(result("constant", {{"idata", Ints{1, 2}}}, {}).values<int32_t>(), ElementsAre(1, 2));
  EXPECT_THAT(
      result("constant", {{"fdata", Floats{1.5, -2, 300}}, {"dtype", type(DType::kUInt8)}}, {}).values<uint8_t>(),
      ElementsAre(2, 0, 255));
  const HostTensor filled = result("constant", {{"idata", int64_t{5}}, {"shape", Ints{2, 1}}, {"layout", "AB"}}, {});
  EXPECT_EQ(filled.desc, (TensorDesc{DType::kInt32, {2, 1}, "AB"}));
  EXPECT_THAT(filled.values<int32_t>(), ElementsAre(5, 5));
  EXPECT_EQ(result("constant", {{"idata", int64_t{5}}, {"shape", Ints{}}}, {}).desc.shape, Shape{});
}

TEST(Constant, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal("constant", {}, {}), HasSubstr("must be present"));
  EXPECT_THAT(refusal("constant", {{"idata", int64_t{1}}, {"fdata", 1.}}, {}), HasSubstr("mutually exclusive"));
  EXPECT_THAT(refusal("constant", {{"idata", Ints{1, 2}}, {"shape", Ints{4}}}, {}), HasSubstr("does not match"));
  EXPECT_THAT(refusal("constant", {{"idata", Ints{}}, {"shape", Ints{4}}}, {}), HasSubstr("does not match"));
  EXPECT_THAT(refusal("constant", {{"idata", int64_t{1}}, {"shape", Ints{-1}}}, {}), HasSubstr("negative extent"));
  EXPECT_THAT(refusal("constant", {{"idata", int64_t{1}}, {"layout", "XY"}}, {}), HasSubstr("2 letters"));
}

TEST(Full, BroadcastsTheValue) {
  const HostTensor row(Shape{3}, {}, std::vector<uint8_t>{1, 2, 3});
  EXPECT_THAT(result("full", {{"shape", Ints{2, 3}}}, {row}).values<uint8_t>(), ElementsAre(1, 2, 3, 1, 2, 3));
  const HostTensor column(Shape{2, 1}, {}, std::vector<float>{1, 2});
  EXPECT_THAT(result("full", {{"shape", Ints{2}}, {"layout", "AB"}}, {column}).values<float>(),
              ElementsAre(1, 1, 2, 2));
  EXPECT_EQ(result("full", {}, {row}).values<uint8_t>(), row.values<uint8_t>());
  const HostTensor like =
      result("full_like", {}, {test::test_image(2, 2), HostTensor(Shape{}, {}, std::vector<float>{5.5f})});
  EXPECT_EQ(like.desc, (TensorDesc{DType::kUInt8, {2, 2, 3}, "HWC"}));
  EXPECT_THAT(like.values<uint8_t>(), testing::Each(6));
  EXPECT_THAT(refusal("full", {{"shape", Ints{2, 2}}}, {row}), HasSubstr("can't be broadcast"));
  EXPECT_THAT(refusal("full", {{"shape", Ints{-1, 3}}}, {row}), HasSubstr("negative extent"));
  EXPECT_THAT(refusal("full_like", {}, {row, HostTensor({DType::kFloat, {2, 3}, {}})}),
              HasSubstr("can't be broadcast"));
}

TEST(Full, MakesZerosAndOnes) {
  EXPECT_THAT(result("zeros", {{"shape", Ints{2}}}, {}).values<int32_t>(), ElementsAre(0, 0));
  EXPECT_EQ(result("zeros", {}, {}).desc.shape, Shape{});
  EXPECT_THAT(
      result("ones", {{"shape", int64_t{2}}, {"dtype", type(DType::kFloat)}, {"layout", "X"}}, {}).values<float>(),
      ElementsAre(1, 1));
  EXPECT_EQ(result("ones_like", {}, {test::test_image(2, 2)}).desc, (TensorDesc{DType::kUInt8, {2, 2, 3}, "HWC"}));
  EXPECT_EQ(result("zeros_like", {{"dtype", type(DType::kBool)}}, {test::test_image(2, 2)}).desc.dtype, DType::kBool);
}

TEST(GetProperty, GivesTheLayoutAsText) {
  EXPECT_THAT(result("get_property", {{"key", "layout"}}, {test::test_image(2, 2)}).values<uint8_t>(),
              ElementsAre('H', 'W', 'C'));
  EXPECT_TRUE(result("get_property", {{"key", "source_info"}}, {test::test_image(2, 2)}).bytes.empty());
  EXPECT_THAT(refusal("get_property", {{"key", "foo"}}, {test::test_image(2, 2)}),
              HasSubstr("Unsupported property key: foo"));
}

TEST(Shapes, ListsTheExtents) {
  EXPECT_THAT(result("shapes", {}, {test::test_image(2, 4)}).values<int64_t>(), ElementsAre(2, 4, 3));
  EXPECT_THAT(result("_shape", {{"dtype", type(DType::kFloat)}}, {test::test_image(2, 4)}).values<float>(),
              ElementsAre(2, 4, 3));
  EXPECT_EQ(result("shapes", {}, {HostTensor({DType::kFloat, {}, {}})}).desc.shape, Shape{0});
  EXPECT_THROW(result("shapes", {{"dtype", type(DType::kUInt8)}}, {test::test_image(2, 4)}), TypeError);
}

}  // namespace
}  // namespace penstock
