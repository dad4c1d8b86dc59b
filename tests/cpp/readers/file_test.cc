#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/temp_dir.h"
#include "pages_in_memory.h"
#include "readers/file/posix_file.h"
#include "run_reader.h"

namespace penstock {
void register_file(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::pages_in_memory;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

class FileReaderTest : public testing::Test {
 protected:
  FileReaderTest() {
    tree_.write("0/a.jpg", "first");
    tree_.write("0/b.jpg", std::string(100'000, 'b'));
    tree_.write("1/c.jpg", "third");
  }
  RunReader reader(std::map<std::string, ArgValue> args = {}) {
    if (!args.count("file_root")) args["file_root"] = tree_.path();
    return RunReader(&register_file, std::move(args));
  }
  std::string error(std::map<std::string, ArgValue> args) {
    return message_of<ArgumentError>([&] { reader(args); });
  }
  TempDir tree_;
};

TEST_F(FileReaderTest, DeliversBytesLabelAndSource) {
  RunReader run = reader();
  EXPECT_EQ(run.reader().size(), 3);
  const ReadSample first = run.read(0), second = run.read(1), third = run.read(2);
  EXPECT_EQ(first[0].desc, (TensorDesc{DType::kUInt8, {5}, {}}));
  EXPECT_EQ(first[0].text(), "first");
  EXPECT_EQ(first.source, "0/a.jpg");
  EXPECT_EQ(second[0].text(), std::string(100'000, 'b'));
  EXPECT_EQ(third[0].text(), "third");
  EXPECT_EQ(third[1].desc, (TensorDesc{DType::kInt32, {1}, {}}));
  EXPECT_EQ(third[1].values<int32_t>(), std::vector<int32_t>{1});
}

TEST_F(FileReaderTest, ReadsListsAndGivenFiles) {
  tree_.write("list.txt", "1/c.jpg 9\n");
  RunReader listed(&register_file, {{"file_list", tree_ / "list.txt"}});
  EXPECT_EQ(listed.read(0)[0].text(), "third");
  EXPECT_EQ(listed.read(0)[1].values<int32_t>(), std::vector<int32_t>{9});
  RunReader given = reader({{"files", std::vector<std::string>{"1/c.jpg", tree_ / "0/a.jpg"}}});
  EXPECT_EQ(given.read(0)[0].text(), "third");
  EXPECT_EQ(given.read(1)[0].text(), "first");
  EXPECT_EQ(given.read(1).source, tree_ / "0/a.jpg");
}

TEST_F(FileReaderTest, FileThatIsGoneIsNamedAndOthersStillRead) {
  RunReader run = reader();
  std::filesystem::remove(tree_ / "0/a.jpg");
  const std::string message = message_of<DataError>([&] { run.read(0); });
  expect_in("no such file", message);
  expect_in(tree_ / "0/a.jpg", message);
  EXPECT_EQ(run.read(2)[0].text(), "third");
}

TEST_F(FileReaderTest, FileThatShrinksMeanwhileIsNamed) {
  RunReader run = reader();
  run.begin(1);
  std::filesystem::resize_file(tree_ / "0/b.jpg", 10);
  const std::string message = message_of<DataError>([&] { run.finish(); });
  expect_in("file shrank while being read: 10 of 100000 bytes", message);
  expect_in(tree_ / "0/b.jpg", message);
}

TEST_F(FileReaderTest, OddFilesAreRefused) {
  tree_.write("0/empty.jpg", "");
  std::filesystem::create_directory(tree_ / "0/dir");
  EXPECT_EQ(::mkfifo((tree_ / "0/pipe").c_str(), 0600), 0);
  RunReader run = reader({{"files", std::vector<std::string>{"0/empty.jpg", "0/dir", "0/pipe"}}});
  expect_in("file is empty", message_of<DataError>([&] { run.read(0); }));
  expect_in("not a regular file", message_of<DataError>([&] { run.read(1); }));
  expect_in("not a regular file", message_of<DataError>([&] { run.read(2); }));
}

TEST_F(FileReaderTest, HintsNeverThrow) {
  RunReader run = reader();
  std::filesystem::remove(tree_ / "0/a.jpg");
  run.reader().will_need(0);
  run.reader().will_need(1);
}

TEST_F(FileReaderTest, WhoOwnsAFileIsToldWhichPagesAreInMemory) {
  EXPECT_TRUE(PosixFile::open(AT_FDCWD, (tree_ / "0/a.jpg").c_str()).pages_are_told());
  EXPECT_EQ(PosixFile::open(AT_FDCWD, "/etc/passwd").pages_are_told(), ::geteuid() == 0);
}

TEST_F(FileReaderTest, HintsBringWholeFilesIntoMemory) {
  RunReader run = reader({{"files", std::vector<std::string>{tree_.write("0/big.jpg", std::string(1'000'000, 'x'))}}});
  const PosixFile file = PosixFile::open(AT_FDCWD, (tree_ / "0/big.jpg").c_str());
  ASSERT_EQ(::fdatasync(file.fd()), 0);
  ASSERT_EQ(::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED), 0);
  if (pages_in_memory(file).back()) GTEST_SKIP() << "this file system keeps all its files in memory";
  run.reader().will_need(0);
  EXPECT_TRUE(pages_in_memory(file).back());
  const auto missing = [&] {
    const auto pages = pages_in_memory(file);
    return std::count(pages.begin(), pages.end(), 0);
  };
  for (int i = 0; i < 5000 && missing(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(missing(), 0);
}

TEST_F(FileReaderTest, ManySamplesLeaveNoFileOpen) {
  RunReader run = reader();
  const auto open_files = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  run.read(0);
  const auto before = open_files();
  for (int i = 0; i < 100; ++i) run.read(i % 3);
  for (int i = 0; i < 100; ++i) run.reader().will_need(i % 3);
  EXPECT_EQ(open_files(), before);
}

TEST_F(FileReaderTest, SourcesExcludeEachOther) {
  expect_in("`file_root` argument is required", message_of<ArgumentError>([] { RunReader(&register_file, {}); }));
  expect_in("`files` or `file_list` but not both",
            error({{"files", std::vector<std::string>{"a"}}, {"file_list", std::string("b")}}));
  expect_in("valid only when file paths are provided", error({{"labels", std::vector<int64_t>{1}}}));
  expect_in("No files found", error({{"file_filters", std::vector<std::string>{"*.zzz"}}}));
  expect_in("`dir_filters`", error({{"dir_filters", std::vector<std::string>{"none"}}}));
  expect_in("No files found: `file_list`", error({{"file_list", tree_.write("empty.txt", "")}}));
  expect_in("Failed to open", error({{"file_root", tree_ / "none"}}));
}

TEST_F(FileReaderTest, LazyReaderOpensAtFirstUse) {
  RunReader run = reader({{"file_root", tree_ / "later"}, {"lazy_init", true}});
  expect_in("Failed to open", message_of<ArgumentError>([&] { run.reader().size(); }));
  tree_.write("later/0/a.jpg", "now");
  EXPECT_EQ(run.reader().size(), 1);
  EXPECT_EQ(run.read(0)[0].text(), "now");
}

TEST_F(FileReaderTest, ShardsAreChecked) {
  expect_in("num_shards needs to be greater than shard_id",
            error({{"num_shards", int64_t{2}}, {"shard_id", int64_t{2}}}));
  expect_in("shard_id must not be negative", error({{"shard_id", int64_t{-1}}}));
  expect_in("The number of input samples: 3, needs to be at least equal to the requested number of shards: 4.",
            error({{"num_shards", int64_t{4}}}));
  expect_in("needs to be at least equal", error({{"num_shards", int64_t{4}}, {"epoch_end", "wrap"}}));
  EXPECT_EQ(reader({{"num_shards", int64_t{4}}, {"epoch_end", "pad"}}).reader().size(), 3);
}

TEST_F(FileReaderTest, ShuffleArgumentsExcludeEachOther) {
  expect_in("shuffle_after_epoch and stick_to_shard cannot be both true",
            error({{"shuffle_after_epoch", true}, {"stick_to_shard", true}}));
  expect_in("shuffle_after_epoch and random_shuffle cannot be both true",
            error({{"shuffle_after_epoch", true}, {"random_shuffle", true}}));
}

TEST_F(FileReaderTest, ArgumentsBecomeAnOrder) {
  const auto order = [&](std::map<std::string, ArgValue> args) {
    const RunReader run = reader(std::move(args));
    return run.reader().order(run.spec());
  };
  const order::Spec plain = order({});
  EXPECT_EQ(plain.size, 3);
  EXPECT_EQ(plain.batch, 4);
  EXPECT_EQ(plain.seed, 17u);
  EXPECT_FALSE(plain.shuffle);
  EXPECT_EQ(plain.epoch_end, order::EpochEnd::kContinue);
  EXPECT_TRUE(order({{"random_shuffle", true}}).shuffle);
  EXPECT_TRUE(order({{"shuffle_after_epoch", true}}).shuffle);
  EXPECT_EQ(order({{"shuffle_after_epoch_seed", int64_t{5}}}).seed, 5u);
  EXPECT_TRUE(order({{"stick_to_shard", true}}).stick);
  EXPECT_EQ(order({{"pad_last_batch", true}}).epoch_end, order::EpochEnd::kRepeat);
  EXPECT_EQ(order({{"epoch_end", std::string("pad")}, {"pad_last_batch", true}}).epoch_end, order::EpochEnd::kPad);
  EXPECT_EQ(order({{"epoch_end", std::string("drop")}}).epoch_end, order::EpochEnd::kDrop);
  EXPECT_EQ(order({{"epoch_end", std::string("partial")}}).epoch_end, order::EpochEnd::kPartial);
  EXPECT_EQ(order({{"epoch_end", std::string("wrap")}}).epoch_end, order::EpochEnd::kWrap);
  const order::Spec second = order({{"num_shards", int64_t{3}}, {"shard_id", int64_t{1}}});
  EXPECT_EQ(second.num_shards, 3);
  EXPECT_EQ(second.shard, 1);
  expect_in("epoch_end must be", error({{"epoch_end", std::string("Pad")}}));
  expect_in("contradicts", error({{"epoch_end", std::string("drop")}, {"pad_last_batch", true}}));
}

}  // namespace
}  // namespace penstock
