#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>

#include <penstock/error.h>

#include "core/temp_dir.h"
#include "device/fake_backend.h"
#include "readers/lmdb/database.h"
#include "readers/lmdb/writer.h"

namespace penstock {
namespace {

using test::expect_in;
using test::message_of;
using test::TempDir;

void write(const std::string& directory, int count, std::string_view prefix = "k", size_t value_size = 10) {
  LmdbWriter writer(directory);
  for (int i = 0; i < count; ++i)
    writer.append(fmt::format("{}{:08d}", prefix, i), std::string(value_size, static_cast<char>('a' + i % 26)));
  writer.finish();
}

/// Memory for copies, which it counts.
class Room {
 public:
  char* operator()(size_t n) { return copies_.emplace_back(n, '\0').data(); }
  size_t copies() const { return copies_.size(); }

 private:
  std::deque<std::string> copies_;
};

/// Bytes of mapped files of that name which lie in this process's memory.
size_t resident(const std::string& file) {
  std::ifstream maps("/proc/self/smaps");
  size_t bytes = 0;
  bool of_file = false;
  for (std::string line; std::getline(maps, line);) {
    size_t kilobytes = 0;
    if (line.find('-') < line.find(':')) of_file = line.ends_with(file);
    if (of_file && std::sscanf(line.c_str(), "Rss: %zu kB", &kilobytes) == 1) bytes += kilobytes << 10;
  }
  return bytes;
}

TEST(Lmdb, WrittenRecordsComeBackInOrderOfKeys) {
  const TempDir dir;
  write(dir / "db", 5000);
  const LmdbRecords records({dir / "db"});
  ASSERT_EQ(records.size(), 5000);
  Room room;
  for (int64_t i = 0; i < 5000; ++i) {
    const LmdbRecord record = records.at(i, room);
    EXPECT_EQ(record.key, fmt::format("k{:08d}", i));
    EXPECT_EQ(record.value, std::string(10, static_cast<char>('a' + i % 26)));
    EXPECT_EQ(record.path, dir / "db");
  }
  EXPECT_EQ(room.copies(), 0U);
  EXPECT_THROW(records.at(5000, room), IndexError);
  EXPECT_THROW(records.at(-1, room), IndexError);
}

TEST(Lmdb, KeysOfSmallAndLargeValuesAreFound) {
  const TempDir dir;
  LmdbWriter writer(dir / "db");
  for (size_t i = 0; i < 200; ++i)
    writer.append(fmt::format("{:03d}{}", i, std::string(i, 'k')), std::string(i % 3 * 4000, 'v'));
  writer.finish();
  for (const size_t front : {size_t{0}, size_t{100'000}, InPlace::usual().front}) {
    const LmdbRecords records({dir / "db"}, {.front = front});
    Room room;
    for (size_t i = 0; i < 200; ++i) {
      records.will_need(static_cast<int64_t>(i));
      const LmdbRecord record = records.at(static_cast<int64_t>(i), room);
      EXPECT_EQ(record.key, fmt::format("{:03d}{}", i, std::string(i, 'k')));
      EXPECT_EQ(record.value, std::string(i % 3 * 4000, 'v'));
    }
    EXPECT_EQ(room.copies() == 0, front == InPlace::usual().front) << room.copies();
  }
}

TEST(Lmdb, AProcessDoesNotGrowToTheSizeOfItsDatabase) {
  constexpr size_t kFront = 4 << 20, kSize = 48 << 20, kValue = 1000;
  const TempDir dir;
  write(dir / "db", kSize / kValue, "k", kValue);
  const LmdbRecords records({dir / "db"}, {.front = kFront, .large_front = kSize});
  Room room;
  const auto expect_bounded = [&](const char* after) {
    EXPECT_LE(resident(dir / "db/data.mdb"), kFront + (2 << 20)) << after;
  };
  expect_bounded("opening");
  EXPECT_EQ(records.fingerprint(), LmdbRecords({dir / "db"}).fingerprint());
  expect_bounded("fingerprint");
  for (int64_t i = 0; i < records.size(); ++i) {
    records.will_need(i);
    records.prefetch(i, i + 1);
    ASSERT_EQ(records.at(i, room).value, std::string(kValue, static_cast<char>('a' + i % 26)));
  }
  expect_bounded("all records");
}

TEST(Lmdb, AFileThatShrinksLaterIsAnError) {
  const TempDir dir;
  write(dir / "small", 300, "k", 5000);
  write(dir / "large", 300, "k", InPlace::kLarge);
  for (const char* const name : {"small", "large"}) {
    // Of small records those in front are read in place, too.
    const LmdbRecords records({dir / name}, {.front = SIZE_MAX, .large_front = SIZE_MAX});
    const LmdbRecords copied({dir / name}, {.front = 0, .large_front = SIZE_MAX});
    std::filesystem::resize_file(dir / (std::string(name) + "/data.mdb"), 100'000);
    for (const LmdbRecords* one : {&records, &copied}) {
      Room room;
      one->will_need(299);
      expect_in("shrank while being read", message_of<DataError>([&] { one->at(299, room).value.back(); }));
    }
  }
}

TEST(Lmdb, LargeRecordsAreReadInPlaceWhereThereIsRoomForThem) {
  constexpr size_t kSize = 100 * InPlace::kLarge;
  const TempDir dir;
  write(dir / "db", 100, "k", InPlace::kLarge);
  write(dir / "small", 100, "k", InPlace::kLarge - 1);
  const auto copied = [&](const char* name, InPlace in_place) {
    const LmdbRecords records({dir / name}, in_place);
    size_t count = 0;
    for (int64_t i = 0; i < records.size(); ++i) {
      Room room;
      const LmdbRecord record = records.at(i, room);
      EXPECT_EQ(record.value, std::string(record.value.size(), static_cast<char>('a' + i % 26)));
      count += room.copies() > 0;
    }
    return count;
  };
  EXPECT_EQ(copied("db", InPlace::usual()), 0U);
  EXPECT_EQ(copied("db", {.large_front = 2 * kSize}), 0U);
  EXPECT_NEAR(static_cast<double>(copied("db", {.large_front = kSize / 2})), 50, 20);
  EXPECT_EQ(copied("db", {}), 100U);
  EXPECT_EQ(copied("small", {.large_front = 2 * kSize}), 100U);
}

TEST(Lmdb, GpusMayReadWhatIsReadInPlace) {
  const TempDir dir;
  write(dir / "db", 100, "k", InPlace::kLarge);
  auto backend = std::make_shared<device::test::FakeBackend>();
  device::Device gpu(0, backend);
  const auto readable = [&](InPlace in_place) {
    const LmdbRecords records({dir / "db"}, in_place);
    size_t count = 0;
    for (int64_t i = 0; i < 2 * records.size(); ++i) {  // the second time they are pinned
      Room room;
      const LmdbRecord record = records.at(i % records.size(), room);
      count += record.lies_in && record.lies_in->pinned(gpu, std::as_bytes(std::span(record.value)));
    }
    return count;
  };
  EXPECT_GE(readable(InPlace::usual()), 100U);
  EXPECT_TRUE(backend->pinned.empty()) << "after the database";
  EXPECT_EQ(readable({}), 0U);
}

TEST(Lmdb, SeveralDatabasesShareWhatIsReadInPlace) {
  const TempDir dir;
  write(dir / "db", 100, "k", InPlace::kLarge);
  const size_t once = std::filesystem::file_size(dir / "db/data.mdb");
  const auto copies = [&](std::vector<std::string> paths) {
    const LmdbRecords records(paths, {.large_front = once});
    Room room;
    for (int64_t i = 0; i < records.size(); ++i) records.at(i, room);
    return room.copies();
  };
  EXPECT_EQ(copies({dir / "db"}), 0U);
  EXPECT_GT(copies({dir / "db", dir / "db"}), 90U);
}

TEST(Lmdb, MapGrowsWithTheData) {
  const TempDir dir;
  write(dir / "db", 150, "k", 1 << 20);  // more than twice the first map
  const LmdbRecords records({dir / "db"});
  ASSERT_EQ(records.size(), 150);
  Room room;
  for (int64_t i = 0; i < 150; ++i) {
    records.will_need(i);
    EXPECT_EQ(records.at(i, room).value, std::string(1 << 20, static_cast<char>('a' + i % 26)));
  }
}

TEST(Lmdb, SeveralDatabasesFollowEachOther) {
  const TempDir dir;
  write(dir / "a", 3);
  write(dir / "empty", 0);
  write(dir / "b", 2, "x");
  const LmdbRecords records({dir / "a", dir / "empty", dir / "b", dir / "a"});
  ASSERT_EQ(records.size(), 8);
  Room room;
  EXPECT_EQ(records.at(2, room).key, "k00000002");
  EXPECT_EQ(records.at(3, room).key, "x00000000");
  EXPECT_EQ(records.at(3, room).path, dir / "b");
  EXPECT_EQ(records.path(3), dir / "b");
  EXPECT_EQ(records.at(7, room).key, "k00000002");
  EXPECT_NE(records.fingerprint(), LmdbRecords({dir / "b", dir / "a"}).fingerprint());
  EXPECT_EQ(LmdbRecords({dir / "a"}).fingerprint(), LmdbRecords({dir / "a", dir / "empty"}).fingerprint());
}

TEST(Lmdb, AnyIndexMayBePrefetched) {
  const TempDir dir;
  write(dir / "db", 3, "k", 5000);
  const LmdbRecords records({dir / "db"});
  for (int64_t i = -2; i < 6; ++i) records.prefetch(i, 3 - i);
  Room room;
  EXPECT_EQ(records.at(2, room).value, std::string(5000, 'c'));
}

TEST(Lmdb, UnusableDatabasesAreNamed) {
  const TempDir dir;
  const auto open = [&](const std::string& name) { return [path = dir / name] { LmdbRecords({path}); }; };
  expect_in("No such file or directory, with file: " + dir / "none", message_of<ArgumentError>(open("none")));
  dir.write("junk/data.mdb", std::string(20'000, 'j'));
  expect_in("not an LMDB database", message_of<DataError>(open("junk")));
  dir.write("short/data.mdb", "short");
  expect_in("not an LMDB database", message_of<DataError>(open("short")));
  dir.write("zero/data.mdb", "");
  expect_in(dir / "zero", message_of<DataError>(open("zero")));
  std::filesystem::create_directory(dir / "bare");
  expect_in("No such file", message_of<ArgumentError>(open("bare")));
  write(dir / "empty", 0);
  expect_in("no records found", message_of<DataError>(open("empty")));
  expect_in("empty list", message_of<ArgumentError>([] { LmdbRecords({}); }));
}

TEST(Lmdb, DatabaseCutAnywhereIsRefused) {
  const TempDir dir;
  write(dir / "db", 300, "k", 5000);
  const auto whole = std::filesystem::file_size(dir / "db/data.mdb");
  for (auto size = whole - 1; size > 4096; size = size * 4 / 5) {
    std::filesystem::resize_file(dir / "db/data.mdb", size);
    expect_in(dir / "db", message_of<DataError>([&] { LmdbRecords({dir / "db"}); }));
  }
}

TEST(LmdbWriterTest, NothingIsLeftOfAnUnfinishedDatabase) {
  const TempDir dir;
  {
    LmdbWriter writer(dir / "db");
    writer.append("k", "v");
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir / "db"));
}

TEST(LmdbWriterTest, RefusesToWriteOverADatabase) {
  const TempDir dir;
  write(dir / "db", 1);
  expect_in("exists already", message_of<ArgumentError>([&] { LmdbWriter(dir / "db"); }));
  dir.write("file");
  expect_in("cannot make the folder", message_of<ArgumentError>([&] { LmdbWriter(dir / "file"); }));
}

TEST(LmdbWriterTest, KeysMustAscend) {
  const TempDir dir;
  LmdbWriter writer(dir / "db");
  writer.append("b", "1");
  writer.append("a", "2");
  expect_in("ascending order", message_of<DataError>([&] { writer.finish(); }));
}

}  // namespace
}  // namespace penstock
