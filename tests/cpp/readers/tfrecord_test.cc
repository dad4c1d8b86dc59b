#include <protozero/pbf_writer.hpp>

#include <cstring>

#include "core/temp_dir.h"
#include "readers/tfrecord/crc32c.h"
#include "readers/tfrecord/example.h"
#include "readers/tfrecord/framing.h"
#include "run_reader.h"

namespace penstock {
void register_tfrecord(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string framed(const std::string& record) {
  const std::string length = bytes_of(uint64_t{record.size()});
  return length + bytes_of(masked_crc32c(length)) + record + bytes_of(masked_crc32c(record));
}

std::string list(protozero::pbf_tag_type kind, const std::string& values) {
  std::string feature;
  protozero::pbf_writer(feature).add_message(kind, values);
  return feature;
}

std::string example(std::initializer_list<std::pair<const char*, std::string>> features) {
  std::string map, record;
  for (const auto& [name, feature] : features) {
    std::string entry;
    protozero::pbf_writer writer(entry);
    writer.add_string(1, name);
    writer.add_message(2, feature);
    protozero::pbf_writer(map).add_message(1, entry);
  }
  protozero::pbf_writer(record).add_message(1, map);
  return record;
}

std::string integers(std::initializer_list<int64_t> values, bool packed = true) {
  std::string text;
  protozero::pbf_writer writer(text);
  if (packed)
    writer.add_packed_int64(1, values.begin(), values.end());
  else
    for (const int64_t value : values) writer.add_int64(1, value);
  return list(3, text);
}

std::string floats(std::initializer_list<float> values, bool packed = true) {
  std::string text;
  protozero::pbf_writer writer(text);
  if (packed)
    writer.add_packed_float(1, values.begin(), values.end());
  else
    for (const float value : values) writer.add_float(1, value);
  return list(2, text);
}

// Of RFC 3720, and one whose length is no multiple of eight.
TEST(TFRecord, ChecksumsAreCastagnolis) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
}

TEST(TFRecord, NumbersMayBePackedOrNot) {
  for (const bool packed : {false, true}) {
    const std::string record =
        example({{"i", integers({1, -2, 1LL << 62}, packed)}, {"f", floats({1.5F, -2.5F}, packed)}});
    const std::vector<Feature> wanted = {parse_feature("i", "int64[...]"), parse_feature("f", "float32[2]")};
    std::vector<FeatureValues> found(2);
    find_features(record, wanted, found);
    ASSERT_EQ(found[0].count, 3);
    ASSERT_EQ(found[1].count, 2);
    std::array<int64_t, 3> whole{};
    std::array<float, 2> real{};
    copy_values(found[0], whole.data());
    copy_values(found[1], real.data());
    EXPECT_EQ(whole, (std::array<int64_t, 3>{1, -2, 1LL << 62}));
    EXPECT_EQ(real, (std::array<float, 2>{1.5F, -2.5F}));
  }
}

TEST(TFRecord, EveryCutOfARecordParsesOrThrowsDataError) {
  const std::string record = example({{"i", integers({1, 300, -5})}, {"f", floats({1, 2})}, {"g", floats({3}, false)}});
  const std::vector<Feature> wanted = {parse_feature("i", "int64[3]"), parse_feature("f", "float32[2]"),
                                       parse_feature("g", "float32[1]")};
  std::vector<FeatureValues> found(wanted.size());
  int refused = 0;
  for (size_t n = 0; n < record.size(); ++n) {
    const std::vector<char> exact(record.begin(), record.begin() + static_cast<ptrdiff_t>(n));
    try {
      find_features({exact.data(), exact.size()}, wanted, found);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, static_cast<int>(record.size()) - 2);
}

TEST(TFRecord, FramesThatLieAreRefused) {
  const std::string frame = framed("record");
  EXPECT_EQ(unframe(frame, true), "record");
  for (size_t i = 0; i < frame.size(); ++i) {
    std::string bad = frame;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    EXPECT_THROW(unframe(bad, true), DataError) << i;
    EXPECT_THROW(unframe(std::string_view(frame).substr(0, i), false), DataError) << i;
  }
  EXPECT_THROW(unframe(frame + "x", false), DataError);
}

TEST(TFRecord, RecordsAreFoundByTheirLengthsSmallAndLarge) {
  const TempDir dir;
  std::string all;
  std::vector<Place> wanted;
  for (const size_t size : {0, 1, 5000, 3, 4080, 4096, 100'000, 7}) {
    const std::string frame = framed(std::string(size, 'x'));
    wanted.push_back({static_cast<int64_t>(all.size()), static_cast<int64_t>(frame.size())});
    all += frame;
  }
  EXPECT_EQ(list_tfrecords(PosixFile::open_named(dir.write("all", all)), true), wanted);
  EXPECT_EQ(parse_tfrecord_index(write_tfrecord_index(wanted)), wanted);
  for (const size_t cut : {size_t{3}, size_t{12}, all.size() - 1})
    expect_in("was cut off", message_of<DataError>([&] {
                list_tfrecords(PosixFile::open_named(dir.write("cut", all.substr(0, cut))), false);
              }));
  all[8] ^= 1;
  const std::string damaged = dir.write("damaged", all);
  EXPECT_EQ(list_tfrecords(PosixFile::open_named(damaged), false), wanted);
  EXPECT_THROW(list_tfrecords(PosixFile::open_named(damaged), true), DataError);
}

TEST(TFRecord, IndicesNameTheLineThatIsNone) {
  EXPECT_EQ(parse_tfrecord_index("0 5\r\n\n5\t7"), (std::vector<Place>{{0, 5}, {5, 7}}));
  for (const char* bad : {"0 5\n5", "0 5\nx 7", "0 5\n5 7 9", "0 5\n-5 7", "0 5\n5 99999999999999999999"})
    expect_in("line 2", message_of<DataError>([&] { parse_tfrecord_index(bad); }));
}

TEST(TFRecord, SamplesAreReadInPlaceAndNameTheirRecord) {
  const TempDir dir;
  std::string text(20'000, 'j');
  std::string strings;
  protozero::pbf_writer(strings).add_bytes(1, text);
  const std::string first = framed(example({{"i", integers({4})}, {"s", list(1, strings)}}));
  const std::string path = dir.write("data", first + framed(example({{"i", integers({5})}})));
  const Dict features = {{"s", "string[]"}, {"i", "int64[]=9"}, {"none", "int64[]=9"}};
  for (const bool copied : {false, true}) {
    RunReader run(&register_tfrecord, {{"path", path}, {"features", features}, {"dont_use_mmap", copied}});
    EXPECT_EQ(run.reader().size(), 2);
    const ReadSample sample = run.read(0);
    EXPECT_TRUE(sample[0].shares_memory);
    EXPECT_EQ(sample[0].text(), text);
    EXPECT_EQ(sample[1].values<int64_t>(), std::vector<int64_t>{4});
    EXPECT_EQ(sample[2].values<int64_t>(), std::vector<int64_t>{9});
    EXPECT_EQ(sample.source, path + " at index 0");
    EXPECT_EQ(run.read(1).source, path + " at index " + std::to_string(first.size()));
    EXPECT_EQ(run.read(1)[0].desc, (TensorDesc{DType::kUInt8, {0}, {}}));
  }
}

}  // namespace
}  // namespace penstock
