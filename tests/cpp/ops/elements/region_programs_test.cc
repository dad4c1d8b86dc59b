// Programs for GPUs that make parts of results from inputs that hold more than the parts take.
#include <gtest/gtest.h>

#include "ops/elements/run_program.h"

namespace penstock {
void register_cast(Registry&);
void register_arithmetic(Registry&);
void register_resize(Registry&);
void register_flip(Registry&);
void register_slice(Registry&);
void register_erase(Registry&);
void register_brightness_contrast(Registry&);
void register_subscript(Registry&);
void register_element_extract(Registry&);
void register_noise_gaussian(Registry&);
void register_noise_salt_and_pepper(Registry&);

namespace {

using test::Args;
using test::HostTensor;
using test::Ints;

const Registry& ops() {
  static const Registry registry =
      test::registry_of({register_cast, register_arithmetic, register_resize, register_flip, register_slice,
                         register_erase, register_brightness_contrast, register_subscript, register_element_extract,
                         register_noise_gaussian, register_noise_salt_and_pepper});
  return registry;
}

struct Case {
  const char* op;
  Args args;
  const char* layout;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.op << " \"" << c.layout << '"'; }
};

class RegionPrograms : public testing::TestWithParam<Case> {};

TEST_P(RegionPrograms, MakeThatPartOfTheWhole) {
  const auto& [name, args, layout] = GetParam();
  Shape shape;
  for (const char letter : std::string_view(layout)) shape.push_back(letter == 'C' ? 3 : letter == 'F' ? 4 : 7);
  if (shape.ndim() == 0) shape = {7, 6, 5};
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < shape.volume(); ++i) values.push_back(static_cast<uint8_t>(mix64(static_cast<uint64_t>(i))));
  const HostTensor in{shape, layout, values};
  const HostTensor full = test::run_program(ops().at(name), args, {in});
  Region wanted = whole(full.desc);
  const Layout& letters = full.desc.layout;
  for (int axis = 0; axis < full.desc.shape.ndim(); ++axis)
    if (full.desc.shape[axis] > 2 && letters.find('C') != axis && (letters.find('F') != axis || axis == 0))
      wanted.set(axis, 1, full.desc.shape[axis] - 1);
  const HostTensor part = test::run_program(ops().at(name), args, {in}, nullptr, {}, 1, &wanted);
  EXPECT_EQ(part.desc, cut(full.desc, wanted));
  EXPECT_EQ(part.bytes, test::cut_out(full, wanted).bytes);
}

const Args kBox = {{"anchor", test::Floats{2, 1}}, {"shape", test::Floats{3, 2}}, {"axes", Ints{0, 1}}};

INSTANTIATE_TEST_SUITE_P(
    Of, RegionPrograms,
    testing::Values(Case{"cast", {{"dtype", static_cast<int64_t>(DType::kFloat)}}, "DHWC"},
                    Case{"cast", {{"dtype", static_cast<int64_t>(DType::kFloat)}}, ""},
                    Case{"arithmetic", {{"op", std::string("minus")}}, "CDHW"},
                    Case{"flip", {{"depthwise", int64_t{1}}, {"horizontal", int64_t{1}}}, "DHWC"},
                    Case{"slice", {{"start", Ints{1}}, {"shape", Ints{5}}, {"axes", Ints{0}}}, ""},
                    Case{"erase", kBox, "DHW"}, Case{"brightness_contrast", {{"brightness", 1.5}}, "FHWC"},
                    Case{"resize", {{"size", test::Floats{5, 6}}}, "FHWC"},
                    Case{"resize", {{"size", test::Floats{4, 5, 6}}}, "DHWC"},
                    Case{"resize", {{"size", test::Floats{9, 5, 6}}, {"interp_type", int64_t{0}}}, "FCDHW"},
                    Case{"resize", {{"size", test::Floats{5, 6}}}, "CFHW"},
                    Case{"_tensor_subscript",
                         {{"num_subscripts", int64_t{2}}, {"at_0", int64_t{2}}, {"step_1", int64_t{-2}}},
                         "DHWC"},
                    Case{"element_extract", {{"element_map", Ints{2}}}, "FHWC"}, Case{"noise.gaussian", {}, "FHWC"},
                    Case{"noise.salt_and_pepper", {{"prob", 0.4}}, "FHWC"},
                    Case{"noise.salt_and_pepper", {{"prob", 0.4}}, "CDHW"}));

}  // namespace
}  // namespace penstock
