#include "device/pinnable.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "device/fake_backend.h"

namespace penstock::device {
namespace {

/// Memory of the system, of which nothing is there before somebody touches it; it begins `before` a slice does.
class Mapped {
 public:
  Mapped(size_t before, size_t bytes) : whole_(bytes + 2 * Pinnable::kSlice), bytes_(bytes) {
    mapped_ = ::mmap(nullptr, whole_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto slice = reinterpret_cast<uintptr_t>(mapped_) / Pinnable::kSlice + 2;
    data_ = reinterpret_cast<std::byte*>(slice * Pinnable::kSlice - before);
  }
  ~Mapped() { ::munmap(mapped_, whole_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::span<const std::byte> all() const { return {data_, bytes_}; }
  void touch(size_t begin, size_t bytes) { std::fill_n(data_ + begin, bytes, std::byte{1}); }

 private:
  void* mapped_;
  std::byte* data_;
  const size_t whole_, bytes_;
};

class PinnableTest : public ::testing::Test {
 protected:
  static constexpr size_t kFirst = size_t{3} << 20;  // in the first slice
  static constexpr size_t kBytes = kFirst + Pinnable::kSlice + (size_t{1} << 20);
  bool pinned(size_t begin, size_t bytes) { return pinnable_->pinned(gpu_, memory_.all().subspan(begin, bytes)); }

  std::shared_ptr<test::FakeBackend> backend_ = std::make_shared<test::FakeBackend>();
  Device gpu_{0, backend_};
  Mapped memory_{kFirst, kBytes};
  std::unique_ptr<Pinnable> pinnable_ = std::make_unique<Pinnable>(memory_.all());
};

TEST_F(PinnableTest, WhatIsThereIsPinnedForWhoeverComesNext) {
  memory_.touch(0, kBytes);
  EXPECT_FALSE(pinned(100, 1000));
  EXPECT_TRUE(pinned(100, 1000));
  EXPECT_TRUE(pinned(kFirst - 1000, 1000));
  EXPECT_EQ(backend_->pinned, (std::map<const void*, size_t>{{memory_.all().data(), kFirst}}));
  EXPECT_FALSE(pinned(kFirst - 500, 1000));
  EXPECT_TRUE(pinned(kFirst - 500, 1000));
  EXPECT_FALSE(pinned(kBytes - 10, 10));
  EXPECT_TRUE(pinned(kBytes - 10, 10));
  const std::byte* const second = memory_.all().data() + kFirst;
  EXPECT_EQ(backend_->pinned[second], Pinnable::kSlice);
  EXPECT_EQ(backend_->pinned[second + Pinnable::kSlice], size_t{1} << 20);
  pinnable_.reset();
  EXPECT_TRUE(backend_->pinned.empty());
}

TEST_F(PinnableTest, NobodyWaitsForWhatIsNotThere) {
  memory_.touch(0, kFirst / 2);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(pinned(0, 1024));
  EXPECT_TRUE(backend_->pinned.empty());
  memory_.touch(0, kFirst);
  for (int i = 5; i < 7; ++i) EXPECT_FALSE(pinned(0, 1024));
  EXPECT_TRUE(backend_->pinned.empty()) << "was asked for the 6th and 7th";
  EXPECT_FALSE(pinned(0, 1024));
  EXPECT_TRUE(pinned(0, 1024)) << "not for the 8th";
}

TEST_F(PinnableTest, WhereTheSystemDoesNotTellWhatIsThereItIsWhatWasCopiedTwice) {
  pinnable_ = std::make_unique<Pinnable>(memory_.all(), false);
  constexpr size_t kRecord = size_t{1} << 20, kTwice = 2 * Pinnable::kSlice / kRecord;
  for (size_t i = 0; i < kTwice; ++i) {
    EXPECT_TRUE(backend_->pinned.empty()) << i;
    EXPECT_FALSE(pinned(kFirst + i % 3 * kRecord, kRecord));
  }
  EXPECT_TRUE(pinned(kFirst, kRecord));
  EXPECT_FALSE(pinned(0, kRecord));
}

TEST_F(PinnableTest, OtherMemoryIsNot) {
  memory_.touch(0, kBytes);
  const std::vector<std::byte> other(100);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(pinnable_->pinned(gpu_, other));
    EXPECT_FALSE(pinnable_->pinned(gpu_, {memory_.all().data() + kBytes - 1, 2}));
    EXPECT_FALSE(pinnable_->pinned(gpu_, {}));
  }
  EXPECT_TRUE(backend_->pinned.empty());
}

TEST_F(PinnableTest, PartsAreWhatOneCallHasPinned) {
  const auto parts_of = [&](size_t begin, size_t bytes) {
    std::vector<size_t> parts;
    const std::byte* next = memory_.all().data() + begin;
    Pinnable::for_each_part(memory_.all().subspan(begin, bytes), [&](std::span<const std::byte> part) {
      EXPECT_EQ(part.data(), next);
      next += part.size();
      parts.push_back(part.size());
    });
    return parts;
  };
  EXPECT_EQ(parts_of(10, 20), (std::vector<size_t>{20}));
  EXPECT_EQ(parts_of(kFirst - 100, 300), (std::vector<size_t>{100, 200}));
  EXPECT_EQ(parts_of(0, kBytes), (std::vector<size_t>{kFirst, Pinnable::kSlice, size_t{1} << 20}));
  EXPECT_EQ(parts_of(0, 0), std::vector<size_t>{});
}

TEST_F(PinnableTest, WhereItCannotBePinnedNobodyAsksAgain) {
  memory_.touch(0, kBytes);
  backend_->can_pin = false;
  EXPECT_FALSE(pinned(0, 10));
  backend_->can_pin = true;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(pinned(kBytes - 10, 10));
  EXPECT_TRUE(backend_->pinned.empty());
}

}  // namespace
}  // namespace penstock::device
