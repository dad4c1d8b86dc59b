// The expectations were checked against nvidia-dali 2.4.0 on the same trees and lists, except where a test says so.
#include "readers/file/file_list.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include <penstock/error.h>

#include "core/temp_dir.h"
#include "readers/file/glob.h"

namespace penstock {
namespace {

using test::expect_in;
using test::message_of;
using test::TempDir;
using Entries = std::vector<std::pair<std::string, int>>;

Entries entries(const FileList& list) {
  Entries all;
  for (int64_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list.path(i).data()[list.path(i).size()], '\0');
    all.emplace_back(list.path(i), list.label(i));
  }
  return all;
}

ScanFilters pictures(std::vector<std::string> directories = {"*"}, bool case_sensitive = false) {
  return {{"*.jpg", "*.png"}, std::move(directories), case_sensitive};
}

class Scan : public testing::Test {
 protected:
  Scan() {
    for (const char* name : {"10/a.jpg", "2/B.JPG", "2/a.jpg", "2/.h.png", "2/x.txt", "Z/q.PnG", "Z/sub/n.jpg",
                             "top.jpg", "a empty/t.txt", ".hid/z.jpg", "b/[x].jpg"})
      tree_.write(name);
    std::filesystem::create_symlink(tree_ / "10", tree_ / "link");
    std::filesystem::create_symlink(tree_ / "10/a.jpg", tree_ / "b/ln.jpg");
    std::filesystem::create_directory(tree_ / "b/dir.jpg");
    EXPECT_EQ(::mkfifo((tree_ / "b/pipe.jpg").c_str(), 0600), 0);
  }
  TempDir tree_;
};

TEST_F(Scan, LabelsAreThePlacesOfDirectoriesInByteOrder) {
  const Entries expected = {{".hid/z.jpg", 0}, {"10/a.jpg", 1},  {"2/.h.png", 2}, {"2/B.JPG", 2},   {"2/a.jpg", 2},
                            {"Z/q.PnG", 3},    {"b/[x].jpg", 5}, {"b/ln.jpg", 5}, {"link/a.jpg", 6}};
  EXPECT_EQ(entries(FileList::scan(tree_.path(), pictures())), expected);
  EXPECT_EQ(entries(FileList::scan(tree_.path() + "/", pictures())), expected);
}

TEST_F(Scan, CaseCountsOnlyWhenAsked) {
  const Entries expected = {{".hid/z.jpg", 0}, {"10/a.jpg", 1}, {"2/.h.png", 2},  {"2/a.jpg", 2},
                            {"b/[x].jpg", 5},  {"b/ln.jpg", 5}, {"link/a.jpg", 6}};
  EXPECT_EQ(entries(FileList::scan(tree_.path(), pictures({"*"}, true))), expected);
}

TEST_F(Scan, LabelsCountFilteredDirectoriesOnly) {
  const Entries expected = {{"10/a.jpg", 0}, {"2/.h.png", 1}, {"2/B.JPG", 1}, {"2/a.jpg", 1}, {"Z/q.PnG", 2}};
  EXPECT_EQ(entries(FileList::scan(tree_.path(), pictures({"z", "[12]*"}))), expected);
}

TEST_F(Scan, AFileThatMatchesTwiceIsTakenOnce) {
  const Entries expected = {{"10/a.jpg", 1}, {"2/a.jpg", 2}, {"2/x.txt", 2}, {"a empty/t.txt", 4}, {"link/a.jpg", 6}};
  EXPECT_EQ(entries(FileList::scan(tree_.path(), {{"*.txt", "A*", "a.*"}})), expected);
}

TEST_F(Scan, FullPathsOpen) {
  const FileList list = FileList::scan(tree_.path() + "/", pictures());
  for (int64_t i = 0; i < list.size(); ++i) EXPECT_TRUE(std::filesystem::is_regular_file(list.full_path(i)));
}

TEST_F(Scan, ErrorsNameWhatIsWrong) {
  expect_in("`file_filters` list cannot be empty",
            message_of<ArgumentError>([&] { FileList::scan(tree_.path(), {{}}); }));
  expect_in("`dir_filters` list cannot be empty",
            message_of<ArgumentError>([&] { FileList::scan(tree_.path(), pictures({})); }));
  expect_in("Failed to open", message_of<ArgumentError>([&] { FileList::scan(tree_ / "nowhere", pictures()); }));
  expect_in("Failed to open", message_of<ArgumentError>([&] { FileList::scan(tree_ / "top.jpg", pictures()); }));
  std::filesystem::create_symlink(tree_ / "nowhere", tree_ / "dangling");
  expect_in("dangling", message_of<DataError>([&] { FileList::scan(tree_.path(), pictures()); }));
}

TEST_F(Scan, UnreadableDirectoryIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  ::chmod((tree_ / "2").c_str(), 0);
  expect_in("/2\"", message_of<ArgumentError>([&] { FileList::scan(tree_.path(), pictures()); }));
  ::chmod((tree_ / "2").c_str(), 0700);
}

TEST(ScanLarge, ManyDirectoriesComeInOrder) {
  const TempDir tree;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 3; ++j) tree.write(fmt::format("{:03d}/{}.jpg", i, j));
  const FileList list = FileList::scan(tree.path(), pictures());
  ASSERT_EQ(list.size(), 300);
  for (int64_t i = 0; i < 300; ++i) {
    EXPECT_EQ(list.path(i), fmt::format("{:03d}/{}.jpg", i / 3, i % 3));
    EXPECT_EQ(list.label(i), i / 3);
  }
}

TEST(GlobTest, PlainSuffixesMeanWhatFnmatchSays) {
  for (const bool sensitive : {false, true}) {
    EXPECT_TRUE(Glob("*.jpg", sensitive).matches("a.jpg"));
    EXPECT_TRUE(Glob("*.jpg", sensitive).matches(".jpg"));
    EXPECT_TRUE(Glob("*", sensitive).matches(""));
    EXPECT_FALSE(Glob("*.jpg", sensitive).matches("jpg"));
    EXPECT_FALSE(Glob("*.jpg", sensitive).matches("a.jpgx"));
    EXPECT_EQ(Glob("*.JPG", sensitive).matches("a.jpg"), !sensitive);
    EXPECT_EQ(Glob("A?*.[j]pg", sensitive).matches("ab.jpg"), !sensitive);
    EXPECT_FALSE(Glob("[ab", sensitive).matches("a.jpg"));
    EXPECT_FALSE(Glob("", sensitive).matches("a"));
  }
}

class List : public testing::Test {
 protected:
  FileList parse(std::string_view text, std::optional<std::string> root = {}) {
    return FileList::parse(dir_.write("list.txt", text), root);
  }
  std::string error(std::string_view text) {
    return message_of<DataError>([&] { parse(text); });
  }
  TempDir dir_;
};

TEST_F(List, LineIsParsedFromTheRight) {
  const Entries expected = {{"10/a.jpg", 3}, {"2/a.jpg", 4}, {" b/in side.jpg", 5}, {"# c", 1}, {"last.jpg", 12}};
  EXPECT_EQ(entries(parse("10/a.jpg\t3\n2/a.jpg   4 \r\n\n   \n b/in side.jpg 5\n# c 1\nlast.jpg 12")), expected);
  EXPECT_EQ(entries(parse("")), Entries{});
}

TEST_F(List, RelativePathsStartFromTheListUnlessARootIsGiven) {
  EXPECT_EQ(parse("a.jpg 1\n").full_path(0), dir_ / "a.jpg");
  EXPECT_EQ(parse("a.jpg 1\n", "/lists").full_path(0), "/lists/a.jpg");
  EXPECT_EQ(parse("a.jpg 1\n", "/lists/").full_path(0), "/lists/a.jpg");
  EXPECT_EQ(parse("/x/a.jpg 1\n", "/lists").full_path(0), "/x/a.jpg");
  EXPECT_EQ(parse("a.jpg 1\n", "").full_path(0), "a.jpg");
}

TEST_F(List, MalformedLinesAreNamed) {
  for (const char* line : {"a.jpg -3", "a.jpg", "5", "a.jpg5", " 5"}) {
    const std::string message = error(std::string("ok.jpg 1\n\n") + line + "\n");
    expect_in("Incorrect format of the list file", message);
    expect_in("list.txt\":3", message);
    expect_in("expected file name followed by a label", message);
    expect_in(line, message);
  }
}

// DALI takes the lowest 32 bits of such labels.
TEST_F(List, LabelsBeyondInt32AreRefused) {
  EXPECT_EQ(parse("a.jpg 2147483647").label(0), 2147483647);
  expect_in("does not fit into int32", error("a.jpg 2147483648"));
  expect_in("followed by a label", error("a.jpg 99999999999999999999999"));
}

TEST_F(List, LongLinesAreRefused) {
  expect_in("Wrong format of file_list", error(std::string(17000, 'a') + " 1\n"));
  expect_in("Wrong format of file_list", error(std::string(3 << 20, 'a')));
}

TEST_F(List, LinesAcrossChunksStayWhole) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += fmt::format("directory/file_{}.jpg {}\n", i, i % 1000);
  const FileList list = parse(text);
  ASSERT_EQ(list.size(), 200'000);
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_EQ(list.path(i), fmt::format("directory/file_{}.jpg", i));
    ASSERT_EQ(list.label(i), i % 1000);
  }
}

TEST_F(List, MissingListIsNamed) {
  expect_in("Cannot open: ", message_of<ArgumentError>([&] { FileList::parse(dir_ / "none", {}); }));
  expect_in("cannot be empty", message_of<ArgumentError>([&] { FileList::parse("", {}); }));
  expect_in("cannot read", message_of<DataError>([&] { FileList::parse(dir_.path(), {}); }));
}

TEST(Files, KeepTheirOrderAndGetTheirPlacesAsLabels) {
  EXPECT_EQ(entries(FileList::of({"b", "/x/a"}, {}, "/r")), (Entries{{"b", 0}, {"/x/a", 1}}));
  EXPECT_EQ(entries(FileList::of({"b", "a"}, {{-5, 7}}, "")), (Entries{{"b", -5}, {"a", 7}}));
}

TEST(Files, ErrorsNameWhatIsWrong) {
  expect_in("Provided 1 labels for 2 files", message_of<ArgumentError>([] { FileList::of({"a", "b"}, {{7}}, ""); }));
  expect_in("`files` specified an empty list", message_of<ArgumentError>([] { FileList::of({}, {}, ""); }));
  expect_in("not a path", message_of<ArgumentError>([] { FileList::of({"a", ""}, {}, ""); }));
  expect_in("int32", message_of<DataError>([] { FileList::of({"a"}, {{int64_t{1} << 31}}, ""); }));
}

TEST(FileFingerprint, TellsOrderNamesAndLabelsButNotMountPoints) {
  const uint64_t base = FileList::of({"/m/a", "/m/b"}, {}, "").fingerprint();
  EXPECT_EQ(base, FileList::of({"/n/a", "/n/b"}, {}, "").fingerprint());
  EXPECT_EQ(base, FileList::of({"a", "b"}, {}, "/m").fingerprint());
  EXPECT_NE(base, FileList::of({"/m/b", "/m/a"}, {}, "").fingerprint());
  EXPECT_NE(base, FileList::of({"/m/a", "/m/b"}, {{0, 2}}, "").fingerprint());
  EXPECT_NE(base, FileList::of({"/m/a", "/m/b", "/m/c"}, {}, "").fingerprint());
}

}  // namespace
}  // namespace penstock
