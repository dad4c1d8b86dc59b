#include <cstring>

#include "core/temp_dir.h"
#include "readers/webdataset/samples.h"
#include "readers/webdataset/tar.h"
#include "run_reader.h"

namespace penstock {
void register_webdataset(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

std::string padded(std::string text) {
  text.resize((text.size() + 511) / 512 * 512, '\0');
  return text;
}

struct Written {
  std::string name, data;
  char type = '0';
  std::string size = {};  ///< the field, if not that of the data
  std::string magic = std::string("ustar\0", 6) + "00";
  std::string prefix = {};
};

std::string member(const Written& m) {
  std::string block(512, '\0');
  const auto put = [&](size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(0, m.name);
  put(124, m.size.empty() ? fmt::format("{:011o}", m.data.size()) : m.size);
  put(148, "        ");
  put(156, std::string(1, m.type));
  put(257, m.magic);
  put(345, m.prefix);
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<uint8_t>(byte);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return block + padded(m.data);
}

std::vector<TarMember> members(const std::string& archive) {
  const TempDir dir;
  const PosixFile file = PosixFile::open_named(dir.write("a.tar", archive));
  TarWalk walk(file);
  std::vector<TarMember> all;
  while (auto one = walk.next()) all.push_back(*one);
  return all;
}

std::vector<std::string> names(const std::string& archive) {
  std::vector<std::string> all;
  for (const TarMember& one : members(archive)) all.push_back(one.name);
  return all;
}

TEST(Tar, NamesComeFromPrefixesLongNamesAndPax) {
  const std::string pax = "19 path=from/pax.x\n12 size=0\n";
  EXPECT_EQ(names(member({.name = "a.x", .prefix = "folder"}) +
                  member({.name = "b.x", .magic = "ustar  ", .prefix = "times"}) +
                  member({.name = "@", .data = std::string(200, 'n') + ".x", .type = 'L'}) + member({.name = "cut"}) +
                  member({.name = "@", .data = "of a link", .type = 'K'}) + member({.name = "d.x"}) +
                  member({.name = "@", .data = pax.substr(0, 19), .type = 'x'}) + member({.name = "cut"}) +
                  member({.name = "@", .data = "12 any=thing\n", .type = 'g'}) + member({.name = "e.x", .type = '\0'})),
            (std::vector<std::string>{"folder/a.x", "b.x", std::string(200, 'n') + ".x", "d.x", "from/pax.x", "e.x"}));
}

TEST(Tar, OnlyFilesCountAndLongNamesGoWithTheirMember) {
  EXPECT_EQ(names(member({.name = "@", .data = "long", .type = 'L'}) + member({.name = "folder", .type = '5'}) +
                  member({.name = "link", .type = '2'}) + member({.name = "old folder/"}) + member({.name = "file"})),
            std::vector<std::string>{"file"});
}

TEST(Tar, SizesAreOctalBinaryOrPaxs) {
  const std::string data = "12345";
  const std::string binary = std::string("\x80", 1) + std::string(10, '\0') + "\x05";
  for (const std::string& size : {std::string("00000000005"), std::string("         5 "), binary}) {
    const auto all = members(member({.name = "a", .data = data, .size = size}) + member({.name = "b"}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].size, 5);
    EXPECT_EQ(all[0].begin, 512);
  }
  const auto by_pax = members(member({.name = "@", .data = "9 size=5\n", .type = 'x'}) +
                              member({.name = "a", .data = data, .size = "00000000000"}) + member({.name = "b"}));
  ASSERT_EQ(by_pax.size(), 2U);
  EXPECT_EQ(by_pax[0].size, 5);
}

TEST(Tar, ZerosEndAnArchiveAndNothingElseIsAHeader) {
  const std::string good = member({.name = "a", .data = "12345"});
  EXPECT_EQ(names(good + std::string(1024, '\0') + "rubbish").size(), 1U);
  for (size_t cut = 1; cut < good.size(); ++cut) EXPECT_THROW(names(good.substr(0, cut)), DataError) << cut;
  for (size_t i = 0; i < 148; ++i) {  // of the sum itself, the last two bytes may be others
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW(names(bad), DataError) << i;
  }
}

TEST(Tar, HostileSizesAndNamesAreRefused) {
  const std::string most = std::string("\x80\xff\xff\xff", 4) + std::string(8, '\xff');
  for (const char* size : {"77777777777", "-0000000001", "0000000000x"})
    EXPECT_THROW(names(member({.name = "a", .size = size})), DataError) << size;
  EXPECT_THROW(names(member({.name = "a", .size = most})), DataError);
  EXPECT_THROW(names(member({.name = "a", .type = 'L', .size = "00077777777"})), DataError);
  for (const char* pax :
       {"5", "99 path=a\n", "0 path=a\n", "10 path=ab", "8 pathab\n", "12 size=-12\n", "x", "10path=ab\n"})
    EXPECT_THROW(parse_pax(pax), DataError) << pax;
}

TEST(Webdataset, NamesAreSplitAtTheFirstDotOfTheFile) {
  using Parts = std::optional<std::pair<std::string_view, std::string_view>>;
  EXPECT_EQ(split_name("a/b.seg.png"), Parts(std::pair("a/b", "seg.png")));
  EXPECT_EQ(split_name("a.b/c.d"), Parts(std::pair("a.b/c", "d")));
  for (const char* none : {"a/.hidden.png", ".a", "README", "a.b/c", "", "/"})
    EXPECT_EQ(split_name(none), Parts()) << none;
}

TEST(Webdataset, FilesAreReadInPlaceOrCopiedAndNamed) {
  const TempDir dir;
  const std::string data(20'000, 'd');
  const std::string path = dir.write("a.tar", member({.name = "k.jpg", .data = data}) + member({.name = "k.cls"}));
  for (const bool copied : {false, true}) {
    RunReader run(
        &register_webdataset,
        {{"paths", path}, {"ext", std::vector<std::string>{"jpg", "cls", "none"}}, {"dont_use_mmap", copied}});
    const ReadSample sample = run.read(0);
    EXPECT_EQ(sample[0].text(), data);
    EXPECT_EQ(sample.source, path + ":512:k.jpg");
    for (const size_t empty : {1, 2}) EXPECT_EQ(sample[empty].desc, (TensorDesc{DType::kUInt8, {0}, {}}));
  }
}

}  // namespace
}  // namespace penstock
