#include "device/pool.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <penstock/error.h>

#include "device/fake_backend.h"

namespace penstock::device {
namespace {

using test::FakeBackend;

class Pools : public ::testing::Test {
 protected:
  std::shared_ptr<FakeBackend> backend = std::make_shared<FakeBackend>();
  std::shared_ptr<Pool> device = std::make_shared<Pool>(backend, Memory::kDevice, 3);
  std::shared_ptr<Pool> pinned = std::make_shared<Pool>(backend, Memory::kPinned, 3);
  Stream maker = backend->make_stream(0), reader = backend->make_stream(0);
};

TEST_F(Pools, BuffersSayWhereTheyAre) {
  EXPECT_EQ(device->allocate(10, maker).device, 3);
  const Buffer host = pinned->allocate(10, nullptr);
  EXPECT_EQ(host.device, kHostMemory);
  EXPECT_TRUE(host.pinned);
}

TEST_F(Pools, TheNextWriterWaitsForTheLastReader) {
  Buffer block = device->allocate(1000, maker);
  const std::byte* memory = block.data;
  block_of(block).written_on(maker);
  block_of(block).read_on(reader);
  ASSERT_EQ(backend->waits.size(), 1U);
  EXPECT_EQ(backend->waits[0], std::pair(reader, maker)) << "a reader waits for the writer";
  block = {};
  const Buffer next = device->allocate(1000, maker);
  EXPECT_EQ(next.data, memory);
  ASSERT_EQ(backend->waits.size(), 3U);
  EXPECT_TRUE(backend->waits.back() == std::pair(maker, reader) || backend->waits[1] == std::pair(maker, reader));
}

TEST_F(Pools, NobodyWaitsForReadersThatAreDone) {
  Buffer block = device->allocate(1000, maker);
  block_of(block).written_on(maker);
  block = {};
  backend->finish(maker);
  device->allocate(1000, maker);
  EXPECT_TRUE(backend->waits.empty());
}

TEST_F(Pools, WhatTheHostHasSeenNeedsNoEvents) {
  Buffer block = device->allocate(1000, maker);
  const std::byte* memory = block.data;
  block_of(block).written_on(maker);
  block_of(block).done_on(maker);
  EXPECT_TRUE(backend->events.empty());
  block_of(block).read_on(reader);
  EXPECT_TRUE(backend->waits.empty());
  block_of(block).done_on(maker);  // the reader may be at it still
  block = {};
  EXPECT_EQ(backend->events.size(), 1U);
  block = device->allocate(1000, maker);
  EXPECT_EQ(block.data, memory);
  EXPECT_EQ(backend->waits, (std::vector{std::pair(maker, reader)}));
}

TEST_F(Pools, TheHostNeverWritesWhatTheGpuStillCopies) {
  Buffer block = pinned->allocate(1000, nullptr);
  const std::byte* memory = block.data;
  block_of(block).read_on(maker);
  block = {};
  Buffer other = pinned->allocate(1000, nullptr);
  EXPECT_NE(other.data, memory);
  backend->finish(maker);
  EXPECT_EQ(pinned->allocate(1000, nullptr).data, memory);
}

TEST_F(Pools, WhatWaitsForNoStreamGetsNothingThatIsStillRead) {
  Buffer block = device->allocate(1000, maker);
  const std::byte* memory = block.data;
  block_of(block).read_on(reader);
  block = {};
  const Buffer other = device->allocate(1000, nullptr);
  EXPECT_NE(other.data, memory);
  backend->finish(maker);
  backend->finish(reader);
  EXPECT_EQ(device->allocate(1000, nullptr).data, memory);
  EXPECT_TRUE(backend->waits.empty());
  device->set_limit(2048);
  const Buffer held = device->allocate(1000, maker);
  EXPECT_THROW(device->allocate(1000, nullptr), OutOfMemory) << "limits count all";
}

TEST_F(Pools, AHostThatRunsAheadOfTheGpuWaitsInsteadOfPinningAllMemory) {
  for (int i = 0; i < 100; ++i) {
    Buffer block = pinned->allocate(size_t{32} << 20, nullptr);
    block_of(block).read_on(backend->make_stream(0));
  }
  EXPECT_EQ(backend->blocks.size(), 8U);
}

TEST_F(Pools, BlocksOfLostStreamsAreFreedNotRecycled) {
  Buffer block = device->allocate(1000, maker);
  block_of(block).written_on(maker);
  block_of(block).read_on(reader);
  backend->gone.insert(reader);
  block = {};
  EXPECT_TRUE(backend->blocks.empty());
  EXPECT_TRUE(backend->events.empty());
  EXPECT_EQ(device->in_use() + device->idle(), 0U);
}

TEST_F(Pools, IdleBlocksMakeRoomBeforeMemoryIsShort) {
  backend->free = 3000;
  device->allocate(2048, maker);
  EXPECT_EQ(device->idle(), 2048U);
  EXPECT_NO_THROW(device->allocate(1024, maker));
  const Buffer held = device->allocate(2048, maker);
  try {
    device->allocate(4096, maker);
    FAIL();
  } catch (const OutOfMemory& e) {
    EXPECT_NE(
        std::string(e.what()).find("GPU 3 has no 4096 bytes of memory for a batch: batches hold 2048, and 952 are"),
        std::string::npos)
        << e.what();
  }
  EXPECT_NO_THROW(device->allocate(512, maker)) << "what was refused is not counted";
}

TEST_F(Pools, WorkThatAnErrorCutShortIsWaitedForAllTheSame) {
  Buffer block = device->allocate(1000, maker);  // and a launch may have been queued before the next one failed
  block = {};
  device->allocate(1000, reader);
  ASSERT_EQ(backend->waits.size(), 1U);
  EXPECT_EQ(backend->waits[0], std::pair(reader, maker));
}

TEST_F(Pools, LimitsHold) {
  device->set_limit(4096);
  const Buffer held = device->allocate(4096, maker);
  EXPECT_THROW(device->allocate(256, maker), OutOfMemory);
  device->set_limit(0);
  EXPECT_NO_THROW(device->allocate(256, maker));
}

TEST_F(Pools, BlocksAreGivenBackWhenNobodyWillUseThemAgain) {
  Buffer held = device->allocate(1000, maker);
  device->allocate(2000, maker);
  device->keep(false);
  EXPECT_EQ(backend->blocks.size(), 1U) << "the idle one is gone";
  held = {};
  EXPECT_TRUE(backend->blocks.empty());
  EXPECT_TRUE(backend->events.empty());
  EXPECT_EQ(device->in_use() + device->idle(), 0U);
  device->keep(true);
  device->allocate(1000, maker);
  EXPECT_EQ(device->idle(), 1024U);
}

/// Sees where the system would take memory from.
struct SeesPolicy : FakeBackend {
  void* allocate(Memory where, size_t bytes) override {
    syscall(SYS_get_mempolicy, &policy, nullptr, 0, nullptr, 0);
    return FakeBackend::allocate(where, bytes);
  }
  int policy = -1;
};

TEST(Pool, PinnedMemoryIsThatOfTheGpusNode) {
  const auto sees = std::make_shared<SeesPolicy>();
  const auto anywhere = std::make_shared<Pool>(sees, Memory::kPinned, 0);
  anywhere->allocate(10, nullptr);
  if (sees->policy != MPOL_DEFAULT) GTEST_SKIP() << "this system does not say where memory comes from";
  const auto near = std::make_shared<Pool>(sees, Memory::kPinned, 0, 0);
  near->allocate(10, nullptr);
  EXPECT_EQ(sees->policy, MPOL_PREFERRED);
}

TEST_F(Pools, PoisonComesAfterTheLastReaderAndBeforeTheNextWriter) {
  device->poison();
  Buffer block = device->allocate(1000, maker);
  auto* memory = reinterpret_cast<unsigned char*>(block.data);
  memory[999] = 1;
  block_of(block).written_on(maker);
  block_of(block).read_on(reader);
  backend->waits.clear();
  block = {};
  EXPECT_EQ(memory[999], 0xff);
  ASSERT_EQ(backend->fills.size(), 1U);
  const Stream poison = backend->fills[0];
  EXPECT_EQ(backend->waits, (std::vector{std::pair(poison, maker), std::pair(poison, reader)}));
  const Buffer next = device->allocate(1000, maker);
  EXPECT_EQ(backend->waits.back(), std::pair(maker, poison));
}

TEST_F(Pools, WhatIsLentIsWrittenBehindTheLendersWorkAndGoesBackBehindOurs) {
  std::byte memory;
  const auto owner = std::make_shared<int>();
  Buffer block = device->lent(&memory, 1, reader, owner);
  EXPECT_EQ(block_of(block).lender(), owner);
  EXPECT_EQ(device->in_use(), 0U);
  block_of(block).read_on(maker);
  EXPECT_EQ(backend->waits, (std::vector{std::pair(maker, reader)}));
  EXPECT_FALSE(block_of(block).is_done());
  block = {};
  EXPECT_EQ(backend->waits.back(), std::pair(reader, maker));
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(device->idle(), 0U);
  EXPECT_TRUE(backend->events.empty());
}

TEST_F(Pools, WhereTheEndHasBeenSeenTheLenderWaitsForNothing) {
  std::byte memory;
  Buffer block = device->lent(&memory, 1, reader, std::make_shared<int>());
  block_of(block).read_on(maker);
  block_of(block).done_on(maker);
  EXPECT_TRUE(block_of(block).is_done());
  block = {};
  EXPECT_EQ(backend->waits.size(), 1U);
}

TEST_F(Pools, WhatALostGpuHadLentIsLetGo) {
  std::byte memory;
  const auto owner = std::make_shared<int>();
  Buffer block = device->lent(&memory, 1, reader, owner);
  block_of(block).read_on(maker);
  backend->lost_calls = true;
  block = {};
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(Pools, EverythingIsGivenBack) {
  {
    Buffer block = device->allocate(1000, maker);
    block_of(block).written_on(maker);
    block_of(block).read_on(reader);
  }
  device->trim();
  EXPECT_TRUE(backend->blocks.empty());
  EXPECT_TRUE(backend->events.empty());
}

TEST_F(Pools, ALimitThatIsLoweredHolds) {
  for (Pool* pool : {device.get(), pinned.get()}) {
    std::vector<Buffer> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(pool->allocate(1000, nullptr));
    pool->set_limit(3000);
    blocks.clear();
    blocks = {pool->allocate(1000, nullptr), pool->allocate(1000, nullptr)};
    EXPECT_LE(pool->in_use() + pool->idle(), 3000U);
    EXPECT_THROW(pool->allocate(1000, nullptr), OutOfMemory);
  }
}

}  // namespace
}  // namespace penstock::device
