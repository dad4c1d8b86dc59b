// The cache of files on servers: packs, whole files, and room for both.
#include <gtest/gtest.h>

#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include <penstock/error.h>

#include "readers/remote/cache.h"

namespace penstock::remote {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string pattern = (fs::temp_directory_path() / "cacheXXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~CacheTest() override { fs::remove_all(folder); }
  int64_t bytes_held() const {
    int64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() != ".room") sum += static_cast<int64_t>(entry.file_size());
    return sum;
  }
  size_t files_held() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  std::string folder;
};

Key key(int i) { return key_of({"test", std::to_string(i)}); }

TEST_F(CacheTest, ReadsNumbersOfBytes) {
  EXPECT_EQ(bytes_of("17", "X"), 17);
  EXPECT_EQ(bytes_of("2K", "X"), 2000);
  EXPECT_EQ(bytes_of("500G", "X"), 500'000'000'000);
  EXPECT_EQ(bytes_of("3T", "X"), 3'000'000'000'000);
  for (const char* text : {"", "G", "0", "-1", "1.5G", "1GB", "1 G", "9999999999T", "99999999999999999999"})
    EXPECT_THROW(bytes_of(text, "X"), ArgumentError) << text;
}

TEST_F(CacheTest, TellsKeysApart) {
  EXPECT_EQ(key_of({"a", "b"}), key_of({"a", "b"}));
  EXPECT_NE(key_of({"a", "b"}), key_of({"ab"}));
  EXPECT_NE(key_of({"a", "b"}), key_of({"b", "a"}));
  EXPECT_EQ(key_of({"a"}).text().size(), 32U);
}

TEST_F(CacheTest, KeepsManyThingsInFewFiles) {
  const CacheFolder cache(folder, 100'000'000);
  CachePacks packs(cache);
  for (int i = 0; i < 5000; ++i) packs.put(key(i), std::string(100, static_cast<char>(i)));
  CachePacks others(cache);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(others.find(key(i)), std::string(100, static_cast<char>(i)));
  EXPECT_EQ(others.find(key(5000)), std::nullopt);
  EXPECT_FALSE(others.will_need(key(5000)));
  EXPECT_TRUE(others.will_need(key(7)));
  EXPECT_LE(files_held(), 4U);
}

TEST_F(CacheTest, SeesWhatOthersAdd) {
  const CacheFolder cache(folder, 100'000'000);
  CachePacks mine(cache), theirs(cache);
  for (int i = 0; i < 3; ++i) {
    theirs.put(key(i), "x");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(mine.find(key(i)), "x");
  }
}

TEST_F(CacheTest, ReplacesWhatIsRenewed) {
  const CacheFolder cache(folder, 1'000'000);
  CachePacks packs(cache);
  packs.put(key(1), "old");
  packs.put(key(1), "kept out");
  EXPECT_EQ(packs.find(key(1)), "old");
  packs.renew(key(1), "new");
  EXPECT_EQ(packs.find(key(1)), "new");
  packs.put(key(2), "");
  EXPECT_EQ(packs.find(key(2)), "");
}

TEST_F(CacheTest, NeverHoldsMoreThanItsLimit) {
  const CacheFolder cache(folder, 200'000);
  CachePacks packs(cache);
  for (int i = 0; i < 300; ++i) {
    packs.put(key(i), std::string(5000, static_cast<char>(i)));
    ASSERT_LE(bytes_held(), 200'000);
  }
  int found = 0;
  for (int i = 0; i < 300; ++i)
    if (const auto bytes = packs.find(key(i))) {
      EXPECT_EQ(*bytes, std::string(5000, static_cast<char>(i)));
      ++found;
    }
  EXPECT_GE(found, 20);
  EXPECT_EQ(packs.find(key(299)), std::string(5000, static_cast<char>(299)));
  packs.put(key(1000), std::string(300'000, 'x'));  // for which there is no room at all
  EXPECT_EQ(packs.find(key(1000)), std::nullopt);
  packs.put(key(1001), std::string(100'000, 'x'));  // which is more than a pack
}

TEST_F(CacheTest, ServesManyThreads) {
  const CacheFolder cache(folder, 2'000'000);
  CachePacks one(cache), other(cache);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      CachePacks& packs = t % 2 ? one : other;
      for (int i = 0; i < 2000; ++i) {
        const int which = (i * 7 + t * 13) % 500;
        const std::string value(1000 + static_cast<size_t>(which) * 10, static_cast<char>(which));
        if (const auto bytes = packs.find(key(which)))
          wrong += *bytes != value;
        else
          packs.put(key(which), value);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(bytes_held(), 2'000'000);
}

FetchFile fetching(std::string bytes, std::atomic<int>& count) {
  return [bytes = std::move(bytes), &count](const PosixFile& file) {
    ++count;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    file.write(std::as_bytes(std::span(bytes)), 0);
    return true;
  };
}

TEST_F(CacheTest, FetchesAFileOnceForAll) {
  const CacheFolder cache(folder, 1'000'000);
  const CacheFiles files(cache);
  const std::string bytes(50'000, 'f');
  std::atomic<int> count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const PosixFile file = files.open(key(1), 50'000, fetching(bytes, count));
      std::string found(50'000, '\0');
      file.read(std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, bytes);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 1);
}

TEST_F(CacheTest, LeavesFilesThatAreInUse) {
  const CacheFolder cache(folder, 100'000);
  const CacheFiles files(cache);
  std::atomic<int> count = 0;
  const auto open = [&](int which) {
    return files.open(key(which), 40'000, fetching(std::string(40'000, static_cast<char>('0' + which)), count));
  };
  const PosixFile one = open(1), two = open(2);
  EXPECT_GE(one.fd(), 0);
  EXPECT_LT(open(3).fd(), 0);  // no room beside those
  EXPECT_EQ(count, 2);
  std::string found(40'000, '\0');
  one.read(std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(found, std::string(40'000, '1'));
}

TEST_F(CacheTest, DeletesWhatWasUsedLongestAgo) {
  const CacheFolder cache(folder, 100'000);
  const CacheFiles files(cache);
  std::atomic<int> count = 0;
  const auto open = [&](int which) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GE(files.open(key(which), 40'000, fetching(std::string(40'000, 'x'), count)).fd(), 0);
    EXPECT_LE(bytes_held(), 100'000);
  };
  for (const int which : {1, 2, 1, 3}) open(which);  // 2 had to go
  EXPECT_EQ(count, 3);
  open(1);
  EXPECT_EQ(count, 3);
  open(2);
  EXPECT_EQ(count, 4);
}

TEST_F(CacheTest, ForgetsFetchesThatFail) {
  const CacheFolder cache(folder, 100'000);
  const CacheFiles files(cache);
  std::atomic<int> count = 0;
  const FetchFile failing = [](const PosixFile&) -> bool { throw DataError("no"); };
  EXPECT_THROW(files.open(key(1), 1000, failing), DataError);
  EXPECT_LT(files.open(key(1), 1000, [](const PosixFile&) { return false; }).fd(), 0);
  EXPECT_GE(files.open(key(1), 1000, fetching(std::string(1000, 'x'), count)).fd(), 0);
}

}  // namespace
}  // namespace penstock::remote
