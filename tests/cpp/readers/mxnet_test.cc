#include <cstring>

#include "core/temp_dir.h"
#include "readers/mxnet/recordio.h"
#include "run_reader.h"

namespace penstock {
void register_mxnet(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

const std::string kMagic = "\x0a\x23\xd7\xce";

std::string part(const std::string& data, uint32_t position) {
  const uint32_t word = position << 29 | static_cast<uint32_t>(data.size());
  std::string bytes = kMagic + std::string(reinterpret_cast<const char*>(&word), 4) + data;
  bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  return bytes;
}

std::string join(const std::string& bytes) {
  std::string memory;
  return std::string(join_parts(bytes, [&](size_t n) {
    memory.resize(n);
    return memory.data();
  }));
}

TEST(RecordIO, PartsAreJoinedByTheMagicNumberThatParted) {
  EXPECT_EQ(join(part("abc", 0) + part("next", 0)), "abc");
  EXPECT_EQ(join(part("abcd", 1) + part("", 2) + part("e", 3)), "abcd" + kMagic + kMagic + "e");
  EXPECT_EQ(join(part("", 1) + part("", 3)), kMagic);
}

TEST(RecordIO, PartsOutOfOrderAndEveryCutAreRefused) {
  for (const std::string& bad : {part("a", 2), part("a", 3), part("a", 1) + part("b", 0), part("a", 1) + part("b", 1),
                                 part("a", 4), part("a", 1), std::string("abcdefgh")})
    EXPECT_THROW(join(bad), DataError);
  const std::string good = part("abcd", 1) + part("efgh", 2) + part("ijkl", 3);
  for (size_t n = 0; n < good.size(); ++n) {
    const std::vector<char> exact(good.begin(), good.begin() + static_cast<ptrdiff_t>(n));
    EXPECT_THROW(join({exact.data(), exact.size()}), DataError) << n;
  }
}

TEST(RecordIO, RecordsAreFoundByTheirHeadsOrByAnIndex) {
  const TempDir dir;
  const std::string one = part("abc", 0), two = part(std::string(9000, 'x'), 1) + part("y", 3), three = part("", 0);
  const PosixFile file = PosixFile::open_named(dir.write("data", one + two + three));
  const auto n = [](const std::string& text) { return static_cast<int64_t>(text.size()); };
  const std::vector<Place> wanted = {{0, n(one)}, {n(one), n(two)}, {n(one + two), n(three)}};
  EXPECT_EQ(list_recordio(file), wanted);
  const std::string index = fmt::format("7\t{}\n\n2\t0\r\n9 {}\n", n(one + two), n(one));
  EXPECT_EQ(parse_recordio_index(index, file.size()), wanted);
  for (const char* bad : {"1\t0\nx", "1\t0\n1\t-4", "1\t0\n1\t2\t3"})
    expect_in("line 2", message_of<DataError>([&] { parse_recordio_index(bad, 100); }));
  for (size_t cut = 1; cut < (one + two).size(); ++cut) {
    if (cut == one.size()) continue;
    EXPECT_THROW(list_recordio(PosixFile::open_named(dir.write("cut", (one + two).substr(0, cut)))), DataError) << cut;
    cut += cut > 20 && cut < 9000 ? 100 : 0;
  }
}

TEST(RecordIO, LabelsAreOneOrManyAndNeverMoreThanTheRecordHolds) {
  const auto record = [](uint32_t flag, const std::string& rest) {
    const float label = 2.5F;
    return std::string(reinterpret_cast<const char*>(&flag), 4) +
           std::string(reinterpret_cast<const char*>(&label), 4) + std::string(16, '\0') + rest;
  };
  EXPECT_EQ(parse_image_record(record(0, "image")).image, "image");
  EXPECT_EQ(parse_image_record(record(0, "image")).label, 2.5F);
  EXPECT_EQ(parse_image_record(record(2, "12345678image")).image, "image");
  EXPECT_EQ(parse_image_record(record(2, "12345678image")).labels, "12345678");
  EXPECT_THROW(parse_image_record(record(2, "1234567")), DataError);
  EXPECT_THROW(parse_image_record(record(0x40000001, "1234567")), DataError);
  EXPECT_THROW(parse_image_record(record(0, "").substr(1)), DataError);
}

TEST(RecordIO, LargeRecordsAreReadInPlace) {
  const TempDir dir;
  const std::string record = std::string(24, '\0') + std::string(20'000, 'i');
  const std::string path = dir.write("data", part(record, 0));
  for (const bool copied : {false, true}) {
    RunReader run(&register_mxnet, {{"path", path}, {"dont_use_mmap", copied}});
    const ReadSample sample = run.read(0);
    EXPECT_TRUE(sample[0].shares_memory);
    EXPECT_EQ(sample[0].text(), record.substr(24));
    EXPECT_EQ(sample[1].values<float>(), std::vector<float>{0});
    EXPECT_EQ(sample.source, path + " at index 0");
  }
}

}  // namespace
}  // namespace penstock
