#include "core/host_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <penstock/error.h>

#include "core/sanitized.h"

namespace penstock {
namespace {

TEST(HostPool, RecyclesBlocksOfNearlyEqualSize) {
  auto pool = std::make_shared<HostPool>();
  std::byte* first = pool->allocate(100'000).data;
  EXPECT_EQ(pool->in_use(), 0u);
  EXPECT_GE(pool->idle(), 100'000u);
  EXPECT_EQ(pool->allocate(99'990).data, first);
}

TEST(HostPool, TakesALargerBlockBeforeItAsksTheSystem) {
  auto pool = std::make_shared<HostPool>();
  std::byte* first = pool->allocate(150'000).data;
  const Buffer smaller = pool->allocate(100'000);
  EXPECT_EQ(smaller.data, first);
  EXPECT_EQ(pool->in_use(), smaller.size) << "what is lent counts, not what was asked for";
  EXPECT_EQ(pool->idle(), 0u);
}

TEST(HostPool, DoesNotLendABlockThatIsFarTooLarge) {
  auto pool = std::make_shared<HostPool>();
  pool->allocate(1'000'000);
  EXPECT_LT(pool->allocate(100'000).size, 200'000u);
}

TEST(HostPool, AlignsForEveryFramework) {
  auto pool = std::make_shared<HostPool>();
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{255}, size_t{4097}, size_t{1} << 20, size_t{5} << 20}) {
    const Buffer block = pool->allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 256, 0u);
    EXPECT_GE(block.size, bytes);
  }
}

TEST(HostPool, WastesAtMostAQuarter) {
  auto pool = std::make_shared<HostPool>();
  for (size_t bytes = 5000; bytes < 10'000'000; bytes = bytes * 9 / 8 + 1)
    EXPECT_LE(pool->allocate(bytes).size, bytes + bytes / 4 + 1);
}

TEST(HostPool, BlocksOutliveTheirPool) {
  auto pool = std::make_shared<HostPool>();
  Buffer block = pool->allocate(1000);
  pool.reset();
  block.data[999] = std::byte{7};
  EXPECT_EQ(block.data[999], std::byte{7});
}

TEST(HostPool, RefusesWhatPassesTheLimitAndSaysTheNumbers) {
  auto pool = std::make_shared<HostPool>();
  pool->set_limit(10'000);
  const Buffer held = pool->allocate(8000);
  try {
    pool->allocate(8000);
    FAIL() << "more than the limit was given out";
  } catch (const OutOfMemory& e) {
    EXPECT_NE(std::string(e.what()).find("limit of 10000"), std::string::npos) << e.what();
  }
  pool->set_limit(0);
  EXPECT_EQ(pool->allocate(8000).size, 8192u);
}

TEST(HostPool, IdleBlocksMakeRoomUnderTheLimit) {
  auto pool = std::make_shared<HostPool>();
  pool->set_limit(20'000);
  pool->allocate(16'000);
  const Buffer other = pool->allocate(6'000);
  EXPECT_LE(pool->in_use() + pool->idle(), 20'000u) << "an idle block of another size must be given back first";
}

TEST(HostPool, TrimGivesIdleBlocksBack) {
  auto pool = std::make_shared<HostPool>();
  pool->allocate(1'000'000);
  EXPECT_GT(pool->idle(), 0u);
  pool->trim();
  EXPECT_EQ(pool->idle(), 0u);
}

TEST(HostPool, ForgetsALargeBatchAfterManySmallOnes) {
  auto pool = std::make_shared<HostPool>();
  pool->allocate(size_t{400} << 20);
  for (int i = 0; i < 4000; ++i) pool->allocate(size_t{1} << 20);
  EXPECT_LT(pool->idle(), size_t{100} << 20);
}

TEST(HostPool, KeepsWhatEveryBatchNeedsThoughAllOfItIsIdleBetween) {
  for (const size_t count : {1, 2, 5, 64}) {
    auto pool = std::make_shared<HostPool>();
    for (int batch = 0; batch < 50; ++batch) {
      std::vector<Buffer> blocks;
      for (size_t i = 0; i < count; ++i) blocks.push_back(pool->allocate(300'000));
      blocks.clear();
      EXPECT_GE(pool->idle(), count * 300'000) << count << " blocks, batch " << batch;
    }
  }
}

TEST(HostPool, ForgetsBlocksThatFewBatchesNeed) {
  auto pool = std::make_shared<HostPool>();
  {
    std::vector<Buffer> many;
    for (int i = 0; i < 8; ++i) many.push_back(pool->allocate(600'000));
  }
  Buffer held = pool->allocate(600'000);
  for (int i = 0; i < 200; ++i) held = pool->allocate(600'000);
  EXPECT_LE(pool->idle(), 2 * held.size);
}

TEST(HostPool, ALimitThatIsLoweredHolds) {
  auto pool = std::make_shared<HostPool>();
  std::vector<Buffer> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool->allocate(1000));
  pool->set_limit(3000);
  blocks.clear();
  blocks = {pool->allocate(1000), pool->allocate(1000)};
  EXPECT_LE(pool->in_use() + pool->idle(), 3000u);
  EXPECT_THROW(pool->allocate(1000), OutOfMemory);
}

TEST(HostPool, AForkedProcessMayUseIt) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizer's own allocator does not survive a fork";
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) HostPool::process()->allocate(200'000);
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // a hang ends as a failure
      HostPool::process()->allocate(200'000);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << i;
    if (status != 0) break;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace penstock
