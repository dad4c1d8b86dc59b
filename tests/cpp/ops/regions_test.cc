// Operators make parts of volumes, sequences and tensors without a layout: what is asked for along any axis, from no
// more of their inputs than it takes.
#include "run_op.h"

namespace penstock {
void register_cast(Registry&);
void register_copy(Registry&);
void register_arithmetic(Registry&);
void register_flip(Registry&);
void register_slice(Registry&);
void register_erase(Registry&);
void register_lookup_table(Registry&);
void register_brightness_contrast(Registry&);
void register_color_space_conversion(Registry&);
void register_gaussian_blur(Registry&);
void register_laplacian(Registry&);
void register_subscript(Registry&);
void register_element_extract(Registry&);
void register_grid_mask(Registry&);
void register_warp_affine(Registry&);
void register_resize(Registry&);
void register_jitter(Registry&);
void register_water(Registry&);
void register_remap(Registry&);
void register_filter(Registry&);
void register_median_blur(Registry&);
void register_reshape(Registry&);

namespace {

using test::Args;
using test::HostTensor;
using test::Ints;
using test::RunOp;

const Registry& ops() {
  static const Registry registry = test::registry_of({register_cast,
                                                      register_copy,
                                                      register_arithmetic,
                                                      register_flip,
                                                      register_slice,
                                                      register_erase,
                                                      register_lookup_table,
                                                      register_brightness_contrast,
                                                      register_color_space_conversion,
                                                      register_gaussian_blur,
                                                      register_laplacian,
                                                      register_subscript,
                                                      register_element_extract,
                                                      register_grid_mask,
                                                      register_warp_affine,
                                                      register_resize,
                                                      register_jitter,
                                                      register_water,
                                                      register_remap,
                                                      register_filter,
                                                      register_median_blur,
                                                      register_reshape});
  return registry;
}

HostTensor tensor(Shape shape, const char* layout) {
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < shape.volume(); ++i) values.push_back(static_cast<uint8_t>(mix64(static_cast<uint64_t>(i))));
  return {shape, layout, values};
}

struct Case {
  const char* op;
  Args args;
  const char* layout;
  std::vector<int> partial;  // axes of the output along which it is made in part
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.op << " \"" << c.layout << '"'; }
};

class Regions : public testing::TestWithParam<Case> {
 protected:
  static Shape shape() {
    const std::string_view layout = GetParam().layout;
    if (layout.empty()) return {7, 6, 5};
    Shape made;
    for (const char letter : layout) made.push_back(letter == 'C' ? 3 : letter == 'F' ? 4 : letter == 'D' ? 7 : 9);
    return made;
  }
  /// Of each axis less than all, where it is longer than one element.
  static Region inner(const Shape& shape) {
    Region region(shape);
    for (int axis = 0; axis < shape.ndim(); ++axis)
      if (shape[axis] > 1) region.set(axis, 1, std::max<int64_t>(shape[axis] - 2, 2));
    return region;
  }
};

TEST_P(Regions, EqualThatPartOfTheWhole) {
  const HostTensor in = tensor(shape(), GetParam().layout);
  RunOp op(ops().at(GetParam().op), GetParam().args);
  const HostTensor full = op({in})[0];
  const Region asked = inner(full.desc.shape);
  Region expected = whole(full.desc);
  for (const int axis : GetParam().partial) expected.set(axis, asked.begin(axis), asked.end(axis));
  const HostTensor part = op.part({in}, asked)[0];
  EXPECT_EQ(op.made(), expected);
  EXPECT_EQ(part.desc, cut(full.desc, expected));
  EXPECT_EQ(part.bytes, test::cut_out(full, expected).bytes);
}

TEST_P(Regions, OfNothingAskForNothing) {
  const HostTensor in = tensor(shape(), GetParam().layout);
  RunOp op(ops().at(GetParam().op), GetParam().args);
  op.part({in}, {});
  EXPECT_TRUE(op.needed_regions()[0].empty());
}

const test::Floats kTurned{0.8, 0.3, 1, -0.3, 0.9, 2};
const test::Floats kTurnedVolume{0.9, 0.2, 0, 1, -0.2, 0.9, 0.1, 0, 0, 0.1, 0.9, 0.5};
const Args kBox = {{"anchor", test::Floats{2, 1}}, {"shape", test::Floats{3, 2}}, {"axes", Ints{0, 1}}};

INSTANTIATE_TEST_SUITE_P(
    Along, Regions,
    testing::Values(
        Case{"cast", {{"dtype", static_cast<int64_t>(DType::kFloat)}}, "DHWC", {0, 1, 2, 3}},
        Case{"cast", {{"dtype", static_cast<int64_t>(DType::kFloat)}}, "", {0, 1, 2}},
        Case{"copy", {}, "FHWC", {0, 1, 2, 3}},
        Case{"arithmetic", {{"op", std::string("minus")}}, "CDHW", {0, 1, 2, 3}},
        Case{"flip", {{"depthwise", int64_t{1}}, {"horizontal", int64_t{1}}}, "DHWC", {0, 1, 2}},
        Case{"slice",
             {{"start", Ints{1, 2}}, {"shape", Ints{4, 3}}, {"axis_names", std::string("DW")}},
             "CDHW",
             {1, 2, 3}},
        Case{"slice", {{"start", Ints{1}}, {"shape", Ints{5}}, {"axes", Ints{0}}}, "", {0, 1, 2}},
        Case{"erase", kBox, "DHW", {0, 1, 2}}, Case{"erase", kBox, "", {0, 1, 2}},
        Case{"lookup_table", {{"keys", Ints{1, 2}}, {"values", test::Floats{5, 6}}}, "FHW", {0, 1, 2}},
        Case{"brightness_contrast", {{"brightness", 1.5}}, "FHWC", {0, 1, 2}},
        Case{
            "color_space_conversion", {{"image_type", int64_t{0}}, {"output_type", int64_t{2}}}, "FDHWC", {0, 1, 2, 3}},
        Case{"gaussian_blur", {{"sigma", test::Floats{1}}}, "DHWC", {0, 1, 2}},
        Case{"gaussian_blur", {{"sigma", test::Floats{1}}}, "FHWC", {0, 1, 2}},
        Case{"gaussian_blur", {{"sigma", test::Floats{1}}}, "", {}}, Case{"laplacian", {}, "CDHW", {1, 2, 3}},
        Case{"_tensor_subscript",
             {{"num_subscripts", int64_t{2}}, {"at_0", int64_t{2}}, {"step_1", int64_t{-2}}},
             "DHWC",
             {0, 1, 2}},
        Case{"element_extract", {{"element_map", Ints{2}}}, "FHWC", {0, 1, 2}},
        Case{"grid_mask", {{"tile", int64_t{3}}}, "FHWC", {0, 1, 2}},
        Case{"grid_mask", {{"tile", int64_t{3}}}, "FCHW", {0, 2, 3}},
        Case{"warp_affine", {{"matrix", kTurned}}, "FHWC", {0, 1, 2}},
        Case{"warp_affine", {{"matrix", kTurnedVolume}}, "DHWC", {0, 1, 2}},
        Case{"warp_affine", {{"matrix", kTurnedVolume}, {"fill_value", 3.0}}, "FDHWC", {0, 1, 2, 3}},
        Case{"resize", {{"size", test::Floats{5, 6}}}, "FHWC", {0, 1, 2}},
        Case{"resize", {{"size", test::Floats{4, 5, 6}}}, "DHWC", {0, 1, 2}},
        Case{"resize", {{"size", test::Floats{9, 5, 6}}, {"interp_type", int64_t{0}}}, "FCDHW", {0, 2, 3, 4}},
        Case{"resize", {{"size", test::Floats{5, 6}}}, "CFHW", {2, 3}}, Case{"jitter", {}, "FHWC", {0, 1, 2}},
        Case{"water", {}, "FCHW", {0, 2, 3}}, Case{"experimental.median_blur", {}, "FHWC", {0, 1, 2}},
        Case{"reshape", {{"layout", std::string("DHW")}}, "", {0, 1, 2}},
        Case{"reshape", {{"layout", std::string("DHWC")}}, "FHWC", {0, 1, 2, 3}}));

Region needed_of(const char* name, Args args, const HostTensor& in, const Region& wanted) {
  RunOp op(ops().at(name), std::move(args));
  op.part({in}, wanted);
  return op.needed_regions()[0];
}

TEST(Needed, PlanesOfASliceAreThoseOfTheVolume) {
  const HostTensor volume = tensor({9, 5, 6}, "DHW");
  const Args args{{"start", Ints{3}}, {"shape", Ints{4}}, {"axis_names", std::string("D")}};
  Region expected = whole(volume.desc);
  expected.set(0, 3, 7);
  EXPECT_EQ(needed_of("slice", args, volume, Region(Shape{4, 5, 6})), expected);
}

TEST(Needed, AnIndexTakesOneElementAndAStepWhatLiesBetween) {
  const HostTensor in = tensor({9, 5, 6}, "");
  const Args args{{"num_subscripts", int64_t{2}}, {"at_0", int64_t{-2}}, {"lo_1", int64_t{4}}, {"step_1", int64_t{-2}}};
  Region expected = whole(in.desc);
  expected.set(0, 7, 8);
  EXPECT_EQ(needed_of("_tensor_subscript", args, in, Region(Shape{3, 6})), expected);
  Region two(Shape{3, 6});
  two.set(0, 0, 2);
  expected.set(1, 2, 5);
  EXPECT_EQ(needed_of("_tensor_subscript", args, in, two), expected);
}

TEST(Needed, ABlurTakesItsRadiusAroundThePlanes) {
  const HostTensor volume = tensor({20, 8, 8}, "DHW");
  Region wanted = whole(volume.desc);
  wanted.set(0, 8, 10);
  Region expected = wanted;
  expected.set(0, 6, 12);
  EXPECT_EQ(needed_of("gaussian_blur", {{"window_size", Ints{5}}}, volume, wanted), expected);
}

TEST(Needed, FramesAreLookedUpInMapsOfTheirOwn) {
  const HostTensor film = tensor({4, 5, 6, 3}, "FHWC");
  std::vector<float> places;
  for (int i = 0; i < 4 * 5 * 6; ++i) places.push_back(static_cast<float>(mix64(static_cast<uint64_t>(i)) % 5));
  const HostTensor map{Shape{4, 5, 6}, "FHW", places};
  RunOp op(ops().at("experimental.remap"), {}, {}, 1, 3);
  Region wanted = whole(film.desc);
  wanted.set(0, 1, 3);
  const HostTensor full = op({film, map, map})[0];
  EXPECT_EQ(op.part({film, map, map}, wanted)[0].bytes, test::cut_out(full, wanted).bytes);
  EXPECT_EQ(op.needed_regions()[0], wanted);
  EXPECT_EQ(op.needed_regions()[1], whole(map.desc));
}

TEST(Needed, AFilterTakesFramesAndTheWindowAroundThePlanes) {
  const HostTensor film = tensor({3, 8, 6, 6, 1}, "FDHWC"), window{Shape{3, 3, 3}, "DHW", std::vector<float>(27, 0.5f)};
  RunOp op(ops().at("filter"), {}, {}, 1, 2);
  Region wanted = whole(film.desc), expected = wanted;
  wanted.set(0, 1, 2), wanted.set(1, 4, 5);
  expected.set(0, 1, 2), expected.set(1, 3, 6);
  const HostTensor full = op({film, window})[0];
  EXPECT_EQ(op.part({film, window}, wanted)[0].bytes, test::cut_out(full, wanted).bytes);
  EXPECT_EQ(op.needed_regions()[0], expected);
}

TEST(Needed, ANewShapeTakesAll) {
  const HostTensor in = tensor({4, 5, 6}, "");
  EXPECT_EQ(needed_of("reshape", {{"shape", Ints{20, 6}}}, in, Region(Shape{2, 3})), whole(in.desc));
}

TEST(Needed, OneElementServesAllPlanes) {
  const HostTensor volume = tensor({7, 5, 6}, "DHW"), plane = tensor({5, 6}, "HW"), row = tensor({1, 1, 6}, "DHW");
  RunOp op(ops().at("arithmetic"), {{"op", std::string("clamp")}}, {}, 1, 3);
  Region wanted = whole(volume.desc);
  wanted.set(0, 2, 4);
  wanted.set(1, 1, 2);
  const HostTensor full = op({volume, plane, row})[0];
  EXPECT_EQ(op.part({volume, plane, row}, wanted)[0].bytes, test::cut_out(full, wanted).bytes);
  EXPECT_EQ(op.needed_regions()[0], wanted);
  EXPECT_EQ(op.needed_regions()[1], wanted.without_first());
  EXPECT_EQ(op.needed_regions()[2], whole(row.desc));
}

}  // namespace
}  // namespace penstock
