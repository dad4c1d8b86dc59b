#include "core/whole_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/temp_dir.h"

namespace penstock {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(WholeFile, HasAllPartsAndReplacesWhatWasThere) {
  const test::TempDir folder;
  const std::string path = folder.write("file", "longer than what comes");
  const std::string zeros(3, '\0');
  EXPECT_EQ(write_whole_file(path, {"head", zeros, ""}), 0);
  EXPECT_EQ(text_of(path), "head" + zeros);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(WholeFile, IsThatOfOneOfTheThreadsThatWriteItAtOneTime) {
  const test::TempDir folder;
  const std::string path = folder / "file";
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, text = std::string(10'000, static_cast<char>('a' + i))] {
      for (int j = 0; j < 50; ++j) failed += write_whole_file(path, {text}) != 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  const std::string text = text_of(path);
  EXPECT_EQ(text, std::string(10'000, text.at(0)));
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(WholeFile, StaysAsItWasWhereItCannotBeWritten) {
  const test::TempDir folder;
  EXPECT_EQ(write_whole_file(folder / "none/file", {"x"}), ENOENT);
  folder.write("taken/inside");
  EXPECT_EQ(write_whole_file(folder / "taken", {"x"}), EISDIR);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(WholeFile, NamesBesideDiffer) { EXPECT_NE(name_beside("file"), name_beside("file")); }

}  // namespace
}  // namespace penstock
