#include "readers/caffe2/tensor_protos.h"

#include <gtest/gtest.h>

#include <penstock/error.h>

#include "core/random.h"
#include "readers/caffe/datum.h"

namespace penstock {
namespace {

std::vector<TensorProto> parse(std::string_view record) {
  std::vector<TensorProto> protos;
  parse_tensor_protos(record, protos);
  return protos;
}

TEST(TensorProtos, SurviveTheWayThroughBytes) {
  TensorProto image{.dims = {1}, .type = ProtoType::kString, .strings = {"file", ""}};
  TensorProto pixels{.dims = {2, 3}, .type = ProtoType::kByte, .bytes = std::string_view("a\0cdef", 6)};
  TensorProto numbers{
      .type = ProtoType::kInt64, .floats = {1.5f, -2}, .int32s = {-1, 7}, .int64s = {int64_t{-1} << 40}};
  const std::string record = serialise(std::vector{image, pixels, numbers});
  const std::vector<TensorProto> back = parse(record);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0].type, ProtoType::kString);
  EXPECT_EQ(back[0].strings, image.strings);
  EXPECT_EQ(back[0].dims, image.dims);
  EXPECT_EQ(back[1].bytes, pixels.bytes);
  EXPECT_EQ(back[1].dims, pixels.dims);
  EXPECT_EQ(back[2].floats, numbers.floats);
  EXPECT_EQ(back[2].int32s, numbers.int32s);
  EXPECT_EQ(back[2].int64s, numbers.int64s);
}

TEST(TensorProtos, BytesLieInTheRecord) {
  const std::string record = serialise(std::vector{TensorProto{.type = ProtoType::kString, .strings = {"file"}}});
  const std::string_view text = parse(record)[0].strings[0];
  EXPECT_GE(text.data(), record.data());
  EXPECT_LT(text.data(), record.data() + record.size());
}

TEST(TensorProtos, UnpackedNumbersAreUnderstood) {
  using std::string_literals::operator""s;
  // dims: 2, 3; float_data: 1.5; int32_data: -1, 7; int64_data: 300; an unknown field 7
  const std::string proto =
      "\x08\x02\x08\x03"s
      "\x1d\x00\x00\xc0\x3f"s
      "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x07"s
      "\x50\xac\x02"s
      "\x3a\x02hi"s;
  const std::vector<TensorProto> back = parse("\x0a" + std::string(1, static_cast<char>(proto.size())) + proto);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(back[0].floats, std::vector<float>{1.5f});
  EXPECT_EQ(back[0].int32s, (std::vector<int32_t>{-1, 7}));
  EXPECT_EQ(back[0].int64s, std::vector<int64_t>{300});
  EXPECT_EQ(back[0].type, ProtoType::kFloat) << "the default of the message";
}

TEST(TensorProtos, ReusedProtosKeepNothing) {
  std::vector<TensorProto> protos;
  const std::string full = serialise(std::vector(3, TensorProto{{1}, ProtoType::kByte, {1}, {2}, {3}, "b", {"s"}}));
  const std::string empty = serialise(std::vector(2, TensorProto{}));
  parse_tensor_protos(full, protos);
  parse_tensor_protos(empty, protos);
  ASSERT_EQ(protos.size(), 2u);
  for (const TensorProto& proto : protos) {
    EXPECT_TRUE(proto.dims.empty() && proto.floats.empty() && proto.int32s.empty() && proto.int64s.empty());
    EXPECT_TRUE(proto.bytes.empty() && proto.strings.empty());
    EXPECT_EQ(proto.type, ProtoType::kFloat);
  }
}

TEST(TensorProtos, EveryCutOfARecordParsesOrThrowsDataError) {
  const std::string record =
      serialise(std::vector(2, TensorProto{{1, 2, 300}, ProtoType::kByte, {1, 2}, {2, -1}, {3}, "bytes", {"string"}}));
  int refused = 0;
  for (size_t n = 0; n < record.size(); ++n) {
    const std::vector<char> exact(record.begin(), record.begin() + static_cast<ptrdiff_t>(n));  // for the sanitizer
    try {
      parse({exact.data(), exact.size()});
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(TensorProtos, HostileBytesNeverDoHarm) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(1, 2, seed);
    std::string record = serialise(
        std::vector(2, TensorProto{{1, 2, 300}, ProtoType::kByte, {1, 2}, {2, -1}, {3}, "bytes", {"string"}}));
    for (uint32_t changes = 1 + random.below(4); changes > 0; --changes)
      record[random.below(static_cast<uint32_t>(record.size()))] = static_cast<char>(random.next());
    const std::vector<char> exact(record.begin(), record.end());
    try {
      parse({exact.data(), exact.size()});
      parse_datum({exact.data(), exact.size()});
    } catch (const DataError& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find("raw data length"), std::string::npos);
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 20'000);
}

}  // namespace
}  // namespace penstock
