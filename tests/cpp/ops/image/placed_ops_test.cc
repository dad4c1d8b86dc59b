// crop, slice, flip and crop_mirror_normalize against a plain element-by-element reference.
#include <gtest/gtest.h>

#include <functional>

#include "../run_op.h"
#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {

void register_crop(Registry& r);
void register_slice(Registry& r);
void register_flip(Registry& r);
void register_crop_mirror_normalize(Registry& r);

namespace {

using test::Args;
using test::HostTensor;
using test::RunOp;
using Index = std::array<int64_t, kMaxDims>;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_crop, register_slice, register_flip, register_crop_mirror_normalize});
  return all;
}

HostTensor run(const std::string& name, Args args, HostTensor input, const PlaneRegion* wanted = nullptr) {
  return RunOp(ops().at(name), std::move(args))({std::move(input)}, wanted)[0];
}

std::string failure(const std::string& name, Args args, HostTensor input) {
  return test::message_of<Error>([&] { run(name, std::move(args), std::move(input)); });
}

/// Small values, so that every type holds them.
HostTensor numbered(DType dtype, Shape shape, std::string_view layout) {
  HostTensor tensor({dtype, shape, Layout(layout)});
  dispatch_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* data = reinterpret_cast<T*>(tensor.bytes.data());
    for (int64_t i = 0; i < shape.volume(); ++i) data[i] = convert_sat<T>(static_cast<int32_t>(mix64(i) % 120));
  });
  return tensor;
}

double value_at(const HostTensor& tensor, const Index& index) {
  int64_t at = 0;
  for (int i = 0; i < tensor.desc.shape.ndim(); ++i) at = at * tensor.desc.shape[i] + index[static_cast<size_t>(i)];
  return dispatch_all(tensor.desc.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return convert_sat<double>(reinterpret_cast<const T*>(tensor.bytes.data())[at]);
  });
}

void for_each_index(const Shape& shape, const std::function<void(const Index&)>& fn) {
  for (int64_t n = 0; n < shape.volume(); ++n) {
    Index index{};
    int64_t rest = n;
    for (int d = shape.ndim() - 1; d >= 0; --d) index[static_cast<size_t>(d)] = rest % shape[d], rest /= shape[d];
    fn(index);
  }
}

/// All layouts of the schema, with small extents that tell axes apart.
Shape shape_for(const std::string& layout, int64_t h, int64_t w) {
  Shape shape;
  for (char letter : layout) shape.push_back(letter == 'H' ? h : letter == 'W' ? w : letter == 'C' ? 3 : 2);
  return shape;
}

class WantedRegions : public ::testing::TestWithParam<std::tuple<std::string, Args, std::string>> {};

TEST_P(WantedRegions, EqualTheCutOfTheWhole) {
  const auto& [name, args, layout] = GetParam();
  for (const auto& [h, w] : {std::pair<int64_t, int64_t>{9, 80}, {17, 23}, {40, 70}}) {
    const HostTensor image = numbered(DType::kUInt8, shape_for(layout, h, w), layout);
    const HostTensor full = run(name, args, image);
    const PlaneRegion all = whole_plane(full.desc);
    for (const PlaneRegion& part : {PlaneRegion{1, 2, all.y1 - 1, all.x1 - 3}, PlaneRegion{0, 0, 1, 1}, all,
                                    PlaneRegion{all.y1 - 1, 0, all.y1, all.x1}, PlaneRegion{2, 2, 2, 2}}) {
      RunOp op(ops().at(name), args);
      const HostTensor cut = op({image}, &part)[0];
      EXPECT_EQ(cut.bytes, test::cut_out(full, part).bytes) << layout << " " << h << "x" << w;
      const PlaneRegion input = whole_plane(image.desc), needed = op.needed()[0];
      EXPECT_TRUE(needed.y0 >= 0 && needed.x0 >= 0 && needed.y1 <= input.y1 && needed.x1 <= input.x1);
    }
  }
}

const Args kPadded = {{"crop", std::vector<double>{12, 75}},
                      {"out_of_bounds_policy", std::string("pad")},
                      {"fill_values", std::vector<double>{1, 2, 3}}};

Args with(Args args, const std::string& name, ArgValue value) {
  args[name] = std::move(value);
  return args;
}

Args repeated(const std::string& policy) {
  return {{"start", std::vector<int64_t>{-30, -4}},
          {"shape", std::vector<int64_t>{95, 21}},
          {"out_of_bounds_policy", policy}};
}

INSTANTIATE_TEST_SUITE_P(
    Placed, WantedRegions,
    ::testing::Values(std::tuple("crop", Args{{"crop", std::vector<double>{7, 20}}}, "HWC"),
                      std::tuple("crop", kPadded, "HWC"), std::tuple("crop", kPadded, "FCDHW"),
                      std::tuple("crop", with(kPadded, "dtype", static_cast<int64_t>(DType::kFloat)), "CHW"),
                      std::tuple("slice", repeated("wrap"), "HWC"), std::tuple("slice", repeated("reflect_101"), "HWC"),
                      std::tuple("slice", repeated("edge"), "CHW"), std::tuple("flip", Args{}, "HWC"),
                      std::tuple("flip", Args{{"vertical", int64_t{1}}}, "FDHWC"), std::tuple("flip", Args{}, "CHW"),
                      std::tuple("crop_mirror_normalize",
                                 Args{{"mirror", int64_t{1}}, {"mean", std::vector<double>{1, 2, 3}}}, "HWC"),
                      std::tuple("crop_mirror_normalize", with(kPadded, "mirror", int64_t{1}), "HWC"),
                      std::tuple("crop_mirror_normalize",
                                 with(with(kPadded, "output_layout", std::string("FCHW")), "std", 3.0), "FHWC"),
                      std::tuple("crop_mirror_normalize",
                                 with(with(kPadded, "output_layout", std::string()), "mirror", int64_t{1}), "HWC")));

TEST(Crop, EveryTypeKeepsItsElements) {
  for (DType dtype : {DType::kUInt8, DType::kInt16, DType::kUInt32, DType::kInt64, DType::kFloat16, DType::kFloat,
                      DType::kFloat64, DType::kBool, DType::kBFloat16}) {
    const HostTensor image = numbered(dtype, {6, 90, 2}, "HWC");
    const HostTensor crop = run("crop", {{"crop", std::vector<double>{4, 5}}}, image);
    EXPECT_EQ(crop.desc, (TensorDesc{dtype, {4, 5, 2}, "HWC"}));
    EXPECT_EQ(crop.bytes, test::cut_out(image, {1, 43, 5, 48}).bytes) << name_of(dtype);
  }
}

TEST(Crop, ConversionDropsFractionsAndClamps) {
  const HostTensor image(Shape{1, 6, 1}, "HWC", std::vector<float>{1.5f, 2.7f, -3.f, 300.f, -0.6f, 254.7f});
  EXPECT_EQ(run("crop", {{"dtype", static_cast<int64_t>(DType::kUInt8)}}, image).values<uint8_t>(),
            (std::vector<uint8_t>{1, 2, 0, 255, 0, 254}));
}

TEST(Crop, PadsWithOneValuePerChannel) {
  const HostTensor image(Shape{1, 1, 2}, "HWC", std::vector<uint8_t>{7, 8});
  const Args args = {{"crop", std::vector<double>{1, 3}}, {"out_of_bounds_policy", std::string("pad")}};
  EXPECT_EQ(run("crop", with(args, "fill_values", std::vector<double>{1, 2}), image).values<uint8_t>(),
            (std::vector<uint8_t>{1, 2, 7, 8, 1, 2}));
  EXPECT_NE(failure("crop", with(args, "fill_values", std::vector<double>{1, 2, 3}), image)
                .find("Multi-channel fill value does not match the number of channels in the output"),
            std::string::npos);
  EXPECT_NE(failure("crop", {{"crop", std::vector<double>{1, 3}}}, image).find("Slice can't be placed out of bounds"),
            std::string::npos);
}

TEST(Slice, RepeatsTheInputAsThePolicySays) {
  const HostTensor line(Shape{3}, {}, std::vector<int32_t>{1, 2, 3});
  const auto slice = [&](const std::string& policy) {
    return run("slice",
               {{"start", std::vector<int64_t>{-2}},
                {"shape", std::vector<int64_t>{8}},
                {"axes", std::vector<int64_t>{0}},
                {"out_of_bounds_policy", policy}},
               line)
        .values<int32_t>();
  };
  EXPECT_EQ(slice("edge"), (std::vector<int32_t>{1, 1, 1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(slice("wrap"), (std::vector<int32_t>{2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(slice("reflect_101"), (std::vector<int32_t>{3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(slice("reflect_1001"), (std::vector<int32_t>{2, 1, 1, 2, 3, 3, 2, 1}));
  EXPECT_EQ(slice("trim_to_shape"), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Slice, PositionalInputsGiveTheWindow) {
  const HostTensor image = numbered(DType::kUInt8, {10, 20, 3}, "HWC");
  const HostTensor anchor(Shape{2}, {}, std::vector<float>{0.25f, 0.1f}),
      shape(Shape{2}, {}, std::vector<float>{0.5f, 0.3f});
  RunOp op(ops().at("slice"), {}, {}, 1, 3);
  EXPECT_EQ(op({image, anchor, shape})[0].bytes, test::cut_out(image, {1, 5, 4, 15}).bytes);
}

TEST(Slice, CutsAxesThatRegionsDoNotKnow) {
  const HostTensor video = numbered(DType::kInt16, {5, 4, 6, 3}, "FHWC");
  const HostTensor cut = run(
      "slice",
      {{"start", std::vector<int64_t>{3, 1}}, {"end", std::vector<int64_t>{5, 2}}, {"axis_names", std::string("FC")}},
      video);
  EXPECT_EQ(cut.desc.shape, (Shape{2, 4, 6, 1}));
  for_each_index(cut.desc.shape, [&](const Index& i) {
    EXPECT_EQ(value_at(cut, i), value_at(video, {i[0] + 3, i[1], i[2], i[3] + 1}));
  });
}

TEST(Flip, TwiceIsTheSameAndOnceReversesTheAxes) {
  for (const std::string layout : {"HWC", "CHW", "FDHWC", "FCDHW"}) {
    const HostTensor image = numbered(DType::kUInt8, shape_for(layout, 5, 70), layout);
    const Args args = {{"horizontal", int64_t{1}}, {"vertical", int64_t{1}}, {"depthwise", int64_t{1}}};
    const HostTensor flipped = run("flip", args, image);
    EXPECT_EQ(run("flip", args, flipped).bytes, image.bytes);
    for_each_index(image.desc.shape, [&](Index i) {
      const double expected = value_at(image, i);
      for (size_t d = 0; d < layout.size(); ++d)
        if (layout[d] != 'C' && layout[d] != 'F') i[d] = image.desc.shape[static_cast<int>(d)] - 1 - i[d];
      EXPECT_EQ(value_at(flipped, i), expected);
    });
  }
}

struct NormalizeCase {
  DType in, out;
  std::string layout, output_layout;
  int64_t height, width, channels;
  bool mirror, pad;
};

void expect_formula(const NormalizeCase& c) {
  Shape shape = shape_for(c.layout, c.height, c.width);
  shape[static_cast<int>(c.layout.find('C'))] = c.channels;
  const HostTensor image = numbered(c.in, shape, c.layout);
  std::vector<double> mean, std;
  for (int64_t i = 0; i < c.channels; ++i) {
    mean.push_back(50.5 + static_cast<double>(i)), std.push_back(20.25 - static_cast<double>(i));
  }
  const HostTensor out = run("crop_mirror_normalize",
                             {{"dtype", static_cast<int64_t>(c.out)},
                              {"output_layout", c.output_layout},
                              {"mirror", int64_t{c.mirror}},
                              {"pad_output", c.pad},
                              {"mean", mean},
                              {"std", std},
                              {"scale", 8.0},
                              {"shift", 3.0}},
                             image);
  EXPECT_EQ(out.desc.layout, Layout(c.output_layout));
  for_each_index(out.desc.shape, [&](const Index& i) {
    Index from{};
    for (size_t d = 0; d < c.layout.size(); ++d) from[d] = i[c.output_layout.find(c.layout[d])];
    const int64_t channel = from[c.layout.find('C')];
    float expected = 0;
    if (channel < c.channels) {
      if (c.mirror) from[c.layout.find('W')] = c.width - 1 - from[c.layout.find('W')];
      const auto k = static_cast<size_t>(channel);
      const auto m = static_cast<float>(mean[k] - 3.0 * std[k] / 8.0), inverse = static_cast<float>(8.0 / std[k]);
      expected = (static_cast<float>(value_at(image, from)) - m) * inverse;
    }
    const double wanted = dispatch_all(
        c.out, [&](auto tag) { return convert_sat<double>(convert_sat<typename decltype(tag)::type>(expected)); });
    ASSERT_EQ(value_at(out, i), wanted);
  });
}

TEST(CropMirrorNormalizeOp, EqualsTheFormula) {
  for (DType in : {DType::kUInt8, DType::kInt16, DType::kFloat, DType::kFloat16})
    for (DType out : {DType::kFloat, DType::kFloat16, DType::kUInt8, DType::kInt8})
      for (const auto& [layout, output] : {std::pair<std::string, std::string>{"HWC", "CHW"},
                                           {"HWC", "HWC"},
                                           {"CHW", "CHW"},
                                           {"FHWC", "FCHW"},
                                           {"CDHW", "DHWC"}})
        for (const auto& [h, w, c] : {std::tuple<int64_t, int64_t, int64_t>{3, 101, 3}, {7, 9, 3}, {2, 130, 1}})
          for (bool mirror : {false, true})
            for (bool pad : {false, true}) {
              SCOPED_TRACE(fmt::format("{} {} to {} {}, {}x{}x{}, mirror {}, pad {}", name_of(in), layout, name_of(out),
                                       output, h, w, c, mirror, pad));
              expect_formula({in, out, layout, output, h, w, c, mirror, pad});
            }
}

TEST(CropMirrorNormalizeOp, WithoutFactorsConvertsExactly) {
  const HostTensor image(Shape{1, 2, 1}, "HWC", std::vector<int32_t>{(1 << 24) + 1, -300});
  EXPECT_EQ(run("crop_mirror_normalize", {{"dtype", static_cast<int64_t>(DType::kInt8)}}, image).values<int8_t>(),
            (std::vector<int8_t>{127, -128}));
}

TEST(CropMirrorNormalizeOp, FillValuesReachAddedChannels) {
  const HostTensor image(Shape{1, 1, 3}, "HWC", std::vector<uint8_t>{1, 2, 3});
  const Args args = {{"pad_output", true},
                     {"crop", std::vector<double>{1, 2}},
                     {"out_of_bounds_policy", std::string("pad")},
                     {"mean", 1.0},
                     {"fill_values", 9.0}};
  EXPECT_EQ(run("crop_mirror_normalize", args, image).values<float>(), (std::vector<float>{9, 0, 9, 1, 9, 2, 9, 9}));
}

TEST(CropMirrorNormalizeOp, RefusesWhatDoesNotFit) {
  const HostTensor image = numbered(DType::kUInt8, {4, 4, 3}, "HWC");
  const auto message = [&](Args args) { return failure("crop_mirror_normalize", std::move(args), image); };
  EXPECT_NE(message({{"output_layout", std::string("FCHW")}}).find("not a permutation of input layout"),
            std::string::npos);
  EXPECT_NE(message({{"mean", std::vector<double>{1, 2}}}).find("number of per-channel arguments"), std::string::npos);
  EXPECT_NE(message({{"mean", std::vector<double>{1, 2, 3}}, {"std", std::vector<double>{1, 2}}})
                .find("must either be of the same size"),
            std::string::npos);
  EXPECT_NE(message({{"dtype", static_cast<int64_t>(DType::kInt16)}}).find("Not supported output type: int16"),
            std::string::npos);
  EXPECT_NE(message({{"out_of_bounds_policy", std::string("wrap")}}).find("Not supported out_of_bounds_policy: wrap"),
            std::string::npos);
}

TEST(PlacedOps, EmptyAndOnePixelInputs) {
  for (const std::string name : {"crop", "flip", "crop_mirror_normalize"}) {
    for (const Shape& shape : {Shape{0, 0, 3}, Shape{0, 5, 3}, Shape{4, 0, 3}, Shape{4, 5, 0}})
      EXPECT_TRUE(run(name, {}, numbered(DType::kUInt8, shape, "HWC")).bytes.empty()) << name;
    EXPECT_EQ(value_at(run(name, {}, numbered(DType::kUInt8, {1, 1, 1}, "HWC")), {}),
              static_cast<double>(mix64(0) % 120));
  }
}

}  // namespace
}  // namespace penstock
