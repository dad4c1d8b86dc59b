#include "device/pool.h"

#include <gtest/gtest.h>

#include <penstock/error.h>

#include "device/fake_backend.h"

namespace penstock::device {
namespace {

using test::FakeBackend;

class Pools : public ::testing::Test {
 protected:
  std::shared_ptr<FakeBackend> backend = std::make_shared<FakeBackend>();
  std::shared_ptr<Pool> device = std::make_shared<Pool>(backend, Pool::Kind::kDevice, 3);
  std::shared_ptr<Pool> pinned = std::make_shared<Pool>(backend, Pool::Kind::kPinned, 3);
  Stream maker = backend->make_stream(), reader = backend->make_stream();
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
    EXPECT_NE(std::string(e.what()).find("GPU 3 has no 4096 bytes"), std::string::npos) << e.what();
  }
}

TEST_F(Pools, LimitsHold) {
  device->set_limit(4096);
  const Buffer held = device->allocate(4096, maker);
  EXPECT_THROW(device->allocate(256, maker), OutOfMemory);
  device->set_limit(0);
  EXPECT_NO_THROW(device->allocate(256, maker));
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

}  // namespace
}  // namespace penstock::device
