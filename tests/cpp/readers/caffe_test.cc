#include <fmt/format.h>

#include <protozero/pbf_writer.hpp>

#include "core/temp_dir.h"
#include "readers/caffe/datum.h"
#include "readers/lmdb/writer.h"
#include "run_reader.h"

namespace penstock {
void register_caffe(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

class CaffeTest : public testing::Test {
 protected:
  static std::string datum(std::optional<int> label, std::optional<bool> encoded = {}, int width = 3) {
    std::string record;
    protozero::pbf_writer writer(record);
    writer.add_int32(1, 1);
    writer.add_int32(2, 2);
    writer.add_int32(3, width);
    writer.add_bytes(4, "abcdef");
    if (label) writer.add_int32(5, *label);
    if (encoded) writer.add_bool(7, *encoded);
    return record;
  }
  ReadSample read(const std::string& record, std::map<std::string, ArgValue> args = {}) {
    const std::string path = dir_ / fmt::format("db{}", count_++);
    LmdbWriter writer(path);
    writer.append("key", record);
    writer.finish();
    args["path"] = path;
    return RunReader(&register_caffe, args).read(0);
  }
  TempDir dir_;
  int count_ = 0;
};

TEST_F(CaffeTest, EncodedImagesAndThoseThatDoNotSayAreBytes) {
  for (const std::optional<bool> encoded : {std::optional<bool>(), std::optional<bool>(true)}) {
    const ReadSample sample = read(datum(7, encoded));
    EXPECT_TRUE(sample[0].shares_memory);
    EXPECT_EQ(sample[0].desc, (TensorDesc{DType::kUInt8, {6}, {}}));
    EXPECT_EQ(sample[0].text(), "abcdef");
    EXPECT_EQ(sample[1].values<int32_t>(), std::vector<int32_t>{7});
    expect_in(" at key key", sample.source);
  }
}

TEST_F(CaffeTest, RawPixelsHaveHeightWidthChannelsAndNoLayout) {
  EXPECT_EQ(read(datum(7, false))[0].desc, (TensorDesc{DType::kUInt8, {2, 3, 1}, {}}));
  expect_in("Image data size mismatch: 6 (expected: 8)", message_of<DataError>([&] { read(datum(7, false, 4)); }));
}

TEST_F(CaffeTest, MissingLabelIsAnEmptyTensor) {
  EXPECT_EQ(read(datum({}))[1].desc, (TensorDesc{DType::kInt32, {0}, {}}));
}

TEST_F(CaffeTest, OutputsAreThoseAskedFor) {
  EXPECT_EQ(read(datum(7), {{"label_available", false}}).outputs.size(), 1u);
  const ReadSample labels = read(datum(7), {{"image_available", false}});
  ASSERT_EQ(labels.outputs.size(), 1u);
  EXPECT_EQ(labels[0].values<int32_t>(), std::vector<int32_t>{7});
}

// For the sanitizer: protozero's get_bool reads the byte behind a record that ends with the field's tag.
TEST_F(CaffeTest, EveryCutOfARecordParsesOrThrowsDataError) {
  const std::string record = datum(7, true);
  int refused = 0;
  for (size_t n = 0; n < record.size(); ++n) {
    const std::vector<char> exact(record.begin(), record.begin() + static_cast<ptrdiff_t>(n));
    try {
      parse_datum({exact.data(), exact.size()});
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 12);
}

TEST_F(CaffeTest, UnparsableRecordIsNamed) {
  expect_in("raw data length: 2", message_of<DataError>([&] { read("\x22\x7f"); }));
  expect_in("image is empty", message_of<DataError>([&] { read(""); }));
}

}  // namespace
}  // namespace penstock
