// Compares with what DALI's CPU operators gave (tools/golden/dali_resize.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../run_op.h"
#include "ops/image/resize_size.h"
#include "tests_folder.h"

namespace penstock {

void register_resize(Registry& r);
void register_resize_crop_mirror(Registry& r);
void register_fast_resize_crop_mirror(Registry& r);

namespace {

using nlohmann::json;

json golden() {
  std::ifstream file(tests_folder() / "golden" / "dali_resize.json");
  EXPECT_TRUE(file.good());
  return json::parse(file);
}

ArgValue to_value(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  for (const json& element : value)
    if (!element.is_number_integer()) return value.get<std::vector<double>>();
  return value.get<std::vector<int64_t>>();
}

std::map<std::string, ArgValue> to_args(const json& args) {
  std::map<std::string, ArgValue> values;
  for (const auto& [name, value] : args.items()) values[name] = to_value(value);
  return values;
}

Shape to_shape(const json& shape) { return Shape(std::span<const int64_t>(shape.get<std::vector<int64_t>>())); }

/// `noise` of the script.
test::HostTensor noise(const Shape& shape, const std::string& layout, const std::string& type) {
  test::HostTensor tensor({dtype_named(type == "float" ? "float32" : type), shape, Layout(layout)});
  for (int64_t i = 0; i < shape.volume(); ++i) {
    const auto mixed = static_cast<uint32_t>((static_cast<uint64_t>(i) * 2654435761u + 12345) % (1ull << 32) >> 16);
    std::byte* at = tensor.bytes.data() + static_cast<size_t>(i) * size_of(tensor.desc.dtype);
    const auto store = [&](auto value) { std::memcpy(at, &value, sizeof value); };
    switch (tensor.desc.dtype) {
      case DType::kUInt8:
        store(static_cast<uint8_t>(mixed / 256));
        break;
      case DType::kInt16:
        store(static_cast<int16_t>(static_cast<int32_t>(mixed) - 32768));
        break;
      case DType::kUInt16:
        store(static_cast<uint16_t>(mixed));
        break;
      default:
        store(static_cast<float>(mixed) / 65536 - 0.5f);
    }
  }
  return tensor;
}

std::vector<double> numbers(const test::HostTensor& tensor) {
  const auto widen = [&](auto type) {
    const auto values = tensor.values<decltype(type)>();
    return std::vector<double>(values.begin(), values.end());
  };
  switch (tensor.desc.dtype) {
    case DType::kUInt8:
      return widen(uint8_t{});
    case DType::kInt16:
      return widen(int16_t{});
    case DType::kUInt16:
      return widen(uint16_t{});
    case DType::kInt32:
      return widen(int32_t{});
    default:
      return widen(float{});
  }
}

/// Integers: within one for 99 % of the elements, within 3 for all. Floats: 1e-4 of the greatest.
void expect_near(const std::vector<double>& got, const std::vector<double>& expected, bool integer) {
  ASSERT_EQ(got.size(), expected.size());
  double greatest = 0;
  for (const double value : expected) greatest = std::max(greatest, std::abs(value));
  size_t apart = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(got[i] - expected[i]);
    ASSERT_LE(difference, integer ? 3 : 1e-4 * greatest)
        << "element " << i << ": " << got[i] << ", DALI " << expected[i];
    apart += integer && difference > 1;
  }
  EXPECT_LE(apart * 100, got.size());
}

TEST(ResizeGolden, PixelsAgreeWithDali) {
  Registry registry;
  register_resize(registry);
  register_resize_crop_mirror(registry);
  register_fast_resize_crop_mirror(registry);
  const json cases = golden();
  for (const json& one : cases["pixels"]) {
    SCOPED_TRACE(one["op"].get<std::string>() + " " + one["layout"].get<std::string>() + one["shape"].dump() + " " +
                 one["dtype"].get<std::string>() + one["args"].dump());
    test::RunOp op(registry.at(one["op"]), to_args(one["args"]));
    const auto outputs =
        op({noise(to_shape(one["shape"]), one["layout"].get<std::string>(), one["dtype"].get<std::string>())});
    ASSERT_EQ(outputs.size(), one["outputs"].size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const json& expected = one["outputs"][i];
      ASSERT_EQ(outputs[i].desc.shape, to_shape(expected["shape"])) << to_string(outputs[i].desc.shape);
      ASSERT_EQ(name_of(outputs[i].desc.dtype), expected["dtype"].get<std::string>());
      expect_near(numbers(outputs[i]), expected["values"], outputs[i].desc.dtype != DType::kFloat);
    }
  }
}

TEST(ResizeGolden, SizesAgreeWithDali) {
  Registry registry;
  register_resize(registry);
  const json cases = golden();
  for (const json& one : cases["sizes"]) {
    test::RunOp op(registry.at("resize"), to_args(one["args"]));
    const auto [h, w] = one["shape"].get<std::pair<int64_t, int64_t>>();
    const auto outputs = op({test::HostTensor({DType::kUInt8, Shape{h, w, 1}, "HWC"})});
    const Shape& out = outputs[0].desc.shape;
    EXPECT_EQ((std::pair{out[0], out[1]}), (one["out"].get<std::pair<int64_t, int64_t>>()))
        << one["shape"] << " with " << one["args"];
  }
}

}  // namespace
}  // namespace penstock
