// Programs for GPUs against the operators' CPU code.
#include <gtest/gtest.h>

#include <cmath>

#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/arithmetic/function.h"
#include "ops/elements/run_program.h"

namespace penstock {

void register_arithmetic(Registry& r);
void register_cast(Registry& r);
void register_resize(Registry& r);
void register_flip(Registry& r);
void register_uniform(Registry& r);
void register_coin_flip(Registry& r);
void register_normal(Registry& r);
void register_erase(Registry& r);
void register_mixup(Registry& r);
void register_noise_gaussian(Registry& r);
void register_noise_salt_and_pepper(Registry& r);

namespace {

using test::HostTensor;
using test::run_program;
using test::RunOp;

const Registry& operators() {
  static const Registry registry = test::registry_of(
      {register_arithmetic, register_cast, register_resize, register_flip, register_uniform, register_coin_flip,
       register_normal, register_erase, register_mixup, register_noise_gaussian, register_noise_salt_and_pepper});
  return registry;
}

constexpr DType kTypes[] = {DType::kUInt8, DType::kUInt16,  DType::kUInt32, DType::kUInt64,  DType::kInt8,
                            DType::kInt16, DType::kInt32,   DType::kInt64,  DType::kFloat16, DType::kBFloat16,
                            DType::kFloat, DType::kFloat64, DType::kBool};

/// Small and extreme numbers, none of them zero.
HostTensor numbers(DType dtype, uint64_t seed) {
  HostTensor tensor({dtype, Shape{23}, {}});
  dispatch_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* to = reinterpret_cast<T*>(tensor.bytes.data());
    for (int64_t i = 0; i < 23; ++i) {
      const auto random = static_cast<double>(mix64(seed, static_cast<uint64_t>(i)) % 2000);
      to[i] = convert_sat<T>(std::is_integral_v<T> ? random / 100 - 8.5 : random / 500 - 1.9);
      if constexpr (std::is_integral_v<T>) {
        if (i < 2) to[i] = i ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
        if (to[i] == T{}) to[i] = T{1};
      }
    }
  });
  return tensor;
}

std::vector<double> as_doubles(const HostTensor& tensor) {
  std::vector<double> list;
  dispatch_all(tensor.desc.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = reinterpret_cast<const T*>(tensor.bytes.data());
    for (int64_t i = 0; i < tensor.desc.shape.volume(); ++i) list.push_back(convert_sat<double>(values[i]));
  });
  return list;
}

/// Equal for whole numbers; floats may differ in the last bit, as the libraries of CPUs and GPUs do.
void expect_same(const HostTensor& expected, const HostTensor& got, const std::string& what) {
  ASSERT_TRUE(expected.desc == got.desc) << what;
  const DType dtype = got.desc.dtype;
  if (!is_floating(dtype)) {
    EXPECT_TRUE(expected.bytes == got.bytes) << what;
    return;
  }
  const double share = dtype == DType::kFloat64 ? 1e-15 : dtype == DType::kFloat ? 3e-7 : 1e-2;
  const std::vector<double> a = as_doubles(expected), b = as_doubles(got);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isinf(a[i])) {
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << what << " at " << i;
    } else {
      EXPECT_LE(std::abs(a[i] - b[i]), share * std::abs(a[i])) << what << " at " << i;
    }
  }
}

void compare(const kernels::Function& function, std::vector<HostTensor> inputs) {
  const OpSchema& schema = operators().at("arithmetic");
  const std::map<std::string, ArgValue> args = {{"op", std::string(function.name)}};
  std::string what(function.name);
  for (const HostTensor& input : inputs) what += " " + std::string(name_of(input.desc.dtype));
  HostTensor expected;
  try {
    expected = RunOp(schema, args, {}, 1, static_cast<int>(inputs.size()))(inputs)[0];
  } catch (const TypeError&) {
    EXPECT_THROW(run_program(schema, args, inputs), TypeError) << what;
    return;
  }
  expect_same(expected, run_program(schema, args, inputs), what);
}

TEST(Programs, ComputeAllFunctionsOfAllTypes) {
  for (const kernels::Function& function : kernels::all_functions()) {
    for (const DType first : kTypes) {
      if (function.arity == 1) compare(function, {numbers(first, 1)});
      for (const DType second : kTypes) {
        if (function.arity == 2) compare(function, {numbers(first, 1), numbers(second, 2)});
        if (function.arity == 3) compare(function, {numbers(first, 1), numbers(second, 2), numbers(second, 3)});
      }
    }
  }
}

TEST(Programs, ConvertBetweenAllTypes) {
  for (const DType from : kTypes)
    for (const DType to : kTypes) {
      const std::map<std::string, ArgValue> args = {{"dtype", static_cast<int64_t>(to)}};
      const HostTensor input = numbers(from, 5);
      expect_same(RunOp(operators().at("cast"), args)({input})[0], run_program(operators().at("cast"), args, {input}),
                  std::string(name_of(from)) + " to " + std::string(name_of(to)));
    }
}

// Threads take several rows of an image of three channels, of which the last ones may be missing; columns have two,
// three, four and more taps.
TEST(Programs, ResizeImagesOfAllHeights) {
  for (int64_t height = 1; height <= 9; ++height)
    for (const int64_t source : {3, 9, 17, 40})
      for (const int64_t channels : {1, 3, 4}) {
        const std::map<std::string, ArgValue> args = {{"size", std::vector<double>{static_cast<double>(height), 5}},
                                                      {"dtype", static_cast<int64_t>(DType::kFloat)}};
        const HostTensor image = test::test_image(source, 11, channels);
        const HostTensor expected = RunOp(operators().at("resize"), args)({image})[0];
        const HostTensor got = run_program(operators().at("resize"), args, {image});
        ASSERT_TRUE(expected.desc == got.desc);
        const std::vector<double> a = as_doubles(expected), b = as_doubles(got);
        for (size_t i = 0; i < a.size(); ++i)
          ASSERT_NEAR(a[i], b[i], 1e-3) << height << " of " << source << " rows, " << channels << " channels, at " << i;
      }
}

TEST(Programs, FlipImagesOfAllSizes) {
  for (int64_t height = 1; height <= 9; ++height)
    for (int64_t width = 1; width <= 5; ++width) {
      const std::map<std::string, ArgValue> args = {{"vertical", int64_t{1}}};
      const HostTensor image = test::test_image(height, width);
      expect_same(RunOp(operators().at("flip"), args)({image})[0], run_program(operators().at("flip"), args, {image}),
                  std::to_string(height) + " x " + std::to_string(width));
    }
}

TEST(Programs, MixPicturesOfAllTypes) {
  const std::map<std::string, ArgValue> args = {{"share", 0.3}};
  for (const DType dtype : {DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kFloat16, DType::kFloat}) {
    const std::vector<HostTensor> pair = {numbers(dtype, 1), numbers(dtype, 2)};
    expect_same(RunOp(operators().at("_mixup"), args)(pair)[0], run_program(operators().at("_mixup"), args, pair),
                std::string(name_of(dtype)));
  }
}

// Lanes of one thread share random numbers; elements beyond all boxes are not looked at.
TEST(Programs, AddNoiseAndEraseInPicturesOfAllSizes) {
  const std::map<std::string, std::map<std::string, ArgValue>> calls = {
      {"noise.gaussian", {{"stddev", 40.0}}},
      {"noise.salt_and_pepper", {{"prob", 0.4}}},
      {"erase",
       {{"anchor", std::vector<double>{1, 2, 3, 0}},
        {"shape", std::vector<double>{2, 2, 3, 1}},
        {"axes", std::vector<int64_t>{0, 1}},
        {"fill_value", std::vector<double>{7, 8, 9}}}}};
  for (const auto& [op, args] : calls)
    for (int64_t height = 1; height <= 7; ++height)
      for (int64_t width = 1; width <= 5; ++width) {
        const HostTensor image = test::test_image(height, width);
        expect_same(RunOp(operators().at(op), args)({image})[0], run_program(operators().at(op), args, {image}),
                    op + " of " + std::to_string(height) + " x " + std::to_string(width));
      }
}

TEST(Programs, RefuseToDivideIntegersByZero) {
  const HostTensor a(Shape{3}, "", std::vector<int32_t>{4, 5, 6}), b(Shape{3}, "", std::vector<int32_t>{1, 0, 2});
  for (const char* op : {"div", "mod"}) {
    bool refused = false;
    run_program(operators().at("arithmetic"), {{"op", std::string(op)}}, {a, b}, &refused);
    EXPECT_TRUE(refused) << op;
    run_program(operators().at("arithmetic"), {{"op", std::string(op)}}, {b, a}, &refused);
    EXPECT_FALSE(refused) << op;
  }
}

TEST(Programs, HaveRoomForTheTablesOfThoseThatTheyFollow) {
  device::Device device(0, std::make_shared<device::test::FakeBackend>());
  device::StagingMemory memory(device, nullptr);
  device::Staging staging(memory);
  const TensorDesc made{.dtype = DType::kFloat, .shape = Shape{4}};
  const auto room_of = [&](const ElementWork& work) {
    kernels::ElementJob job;
    work.write(staging, {}, job);
    return job.room_bytes;
  };
  ElementWork first, second;
  first.begin(made);
  first.load_value(DType::kFloat, ElementWork::bits(1));
  first.make_tables(100);
  for (int sample = 0; sample < 2; ++sample) {
    second.begin(made);
    second.load(second.input(0, made, ElementView::broadcast(made.shape, made.shape)));
    EXPECT_EQ(room_of(second), 0);
    second.follow(first, 0);
    EXPECT_EQ(room_of(second), 100);
  }
}

TEST(Programs, ConvertInfinitiesAsTheCPUDoes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> extremes = {kInfinity, -kInfinity, std::nan(""), 1e300, -1e300, 65520, -65520, 65504, 1e39};
  for (const DType from : {DType::kFloat64, DType::kFloat, DType::kFloat16, DType::kBFloat16}) {
    HostTensor input({from, Shape{static_cast<int64_t>(extremes.size())}, {}});
    dispatch_all(from, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (size_t i = 0; i < extremes.size(); ++i)
        reinterpret_cast<T*>(input.bytes.data())[i] = convert_sat<T>(extremes[i]);
    });
    for (const DType to : {DType::kFloat16, DType::kBFloat16, DType::kFloat, DType::kFloat64}) {
      const std::map<std::string, ArgValue> args = {{"dtype", static_cast<int64_t>(to)}};
      const HostTensor expected = RunOp(operators().at("cast"), args, {}, 1, 1)({input})[0];
      expect_same(expected, run_program(operators().at("cast"), args, {input}),
                  std::string(name_of(from)) + " to " + std::string(name_of(to)));
    }
  }
}

TEST(Programs, DrawTheNumbersOfTheSample) {
  const std::map<std::string, ArgValue> shape = {{"shape", std::vector<int64_t>{5, 7}}};
  const SampleId id{.epoch = 3, .sample = 12345};
  const auto check = [&](const char* name, std::map<std::string, ArgValue> args) {
    args.insert(shape.begin(), shape.end());
    RunOp on_cpu(operators().at(name), args, {}, 77, 0);
    expect_same(on_cpu({}, nullptr, id)[0], run_program(operators().at(name), args, {}, nullptr, id, 77), name);
  };
  check("random.uniform", {{"range", std::vector<double>{-2, 5}}});
  check("random.uniform", {{"values", std::vector<double>{1, 5, 9}}});
  check("random.coin_flip", {{"probability", 0.3}});
  check("random.normal", {{"mean", 2.0}, {"stddev", 0.5}});
  const auto wide = static_cast<int64_t>(DType::kFloat64);
  check("random.uniform", {{"range", std::vector<double>{-2, 5}}, {"dtype", wide}});
  check("random.uniform", {{"values", std::vector<double>{1, 5, 9}}, {"dtype", wide}});
  check("random.coin_flip", {{"probability", 0.3}, {"dtype", wide}});
  check("random.normal", {{"mean", 2.0}, {"stddev", 0.5}, {"dtype", wide}});
}

}  // namespace
}  // namespace penstock
