#include "parallel/launch_sequence.h"

#include <gtest/gtest.h>
#include <penstock/error.h>

#include <array>
#include <string>
#include <vector>

#include "device/fake_backend.h"
#include "kernels/replicas/job.h"

namespace penstock::parallel {
namespace {

using device::Stream;

Stream stream(uintptr_t number) { return reinterpret_cast<Stream>(number); }

/// Writes down what it is asked for, as "renew 101".
class Diary final : public device::test::FakeBackend {
 public:
  explicit Diary(std::vector<std::string>& lines) : lines_(lines) {
    on(kernels::kRenew, [this](const auto& batch) {
      write("renew " + std::to_string(batch.count) + " to " + text(batch.parameters.at[2]) + " on", batch.stream);
    });
    on(kernels::kTotal, [this](const auto& batch) {
      write("total " + std::to_string(batch.count) + " to " + text(batch.parameters.base) + " on", batch.stream);
    });
  }
  void record(device::Event event, Stream stream) override {
    FakeBackend::record(event, stream);
    write("record", stream);
  }
  void wait(Stream stream, device::Event event) override {
    write("wait for " + text(static_cast<FakeEvent*>(event)->recorded) + " on", stream);
  }
  void copy(Stream stream, void* to, const void* from, size_t bytes) override {
    write("copy " + std::to_string(bytes) + " from " + text(from) + " to " + text(to) + " on", stream);
  }
  void destroy_stream(Stream stream) noexcept override { write("destroy", stream); }
  void launch_graph(Stream stream, void* graph) override { write("graph " + text(graph) + " on", stream); }

 private:
  static std::string text(const void* at) { return std::to_string(reinterpret_cast<uintptr_t>(at)); }
  void write(const std::string& what, Stream stream) { lines_.push_back(what + " " + text(stream)); }
  std::vector<std::string>& lines_;
};

class LaunchSequenceTest : public testing::Test {
 protected:
  using Kind = Node::Kind;
  std::vector<std::string> lines_;
  Diary first_{lines_}, second_{lines_}, third_{lines_};
  const std::vector<device::Runtime*> two_{&first_, &second_}, three_{&first_, &second_, &third_};
};

TEST_F(LaunchSequenceTest, IsReplayedInOrderOnTheStreamsOfTheCall) {
  LaunchSequence sequence(two_, {{.kind = Kind::kRenew, .jobs = 3},
                                 {.kind = Kind::kOthersWait},
                                 {.kind = Kind::kGraph, .gpu = 1, .address = stream(7)},
                                 {.kind = Kind::kGraph, .gpu = 0, .address = stream(8)},
                                 {.kind = Kind::kFirstWaits},
                                 {.kind = Kind::kTotal, .jobs = 2, .base = 1}});
  for (const uintptr_t k : {0, 1}) {
    lines_.clear();
    const std::array streams{stream(100 + k), stream(300 + k)};
    const std::array<void*, 2> bases{stream(11 + k), stream(21 + k)};
    sequence.replay(streams, bases);
    const std::string a = std::to_string(100 + k), b = std::to_string(300 + k);
    const std::vector<std::string> expected{"renew 3 to " + std::to_string(21 + k) + " on " + a,
                                            "record " + a,
                                            "wait for " + a + " on " + b,
                                            "graph 7 on " + b,
                                            "graph 8 on " + a,
                                            "record " + b,
                                            "wait for " + b + " on " + a,
                                            "total 2 to " + std::to_string(11 + k) + " on " + a};
    EXPECT_EQ(lines_, expected);
  }
}

TEST_F(LaunchSequenceTest, AllOthersAreWaitedForAndWait) {
  LaunchSequence sequence(three_, {{.kind = Kind::kFirstWaits}, {.kind = Kind::kOthersWait}});
  sequence.replay(std::array{stream(1), stream(101), stream(201)}, {});
  const std::vector<std::string> expected{"record 101", "wait for 101 on 1", "record 201",       "wait for 201 on 1",
                                          "record 1",   "wait for 1 on 101", "wait for 1 on 201"};
  EXPECT_EQ(lines_, expected);
}

TEST_F(LaunchSequenceTest, CopiesGoBesideOtherWorkUntilTheyAreWaitedFor) {
  second_.streams = 300;
  const std::array<device::CopyJob, 2> jobs{
      {{.from = stream(5), .to = stream(6), .bytes = 7}, {.from = stream(8), .to = stream(9), .bytes = 10}}};
  {
    LaunchSequence sequence(
        two_,
        {{.kind = Kind::kSend, .gpu = 1, .address = const_cast<device::CopyJob*>(jobs.data()), .jobs = 2, .base = 1},
         {.kind = Kind::kGraph, .gpu = 1, .address = stream(11)},
         {.kind = Kind::kArrive}});
    sequence.replay(std::array{stream(1), stream(101)}, std::array<void*, 1>{stream(1000)});
    EXPECT_EQ(lines_, (std::vector<std::string>{"record 101", "wait for 101 on 301", "copy 7 from 1005 to 6 on 301",
                                                "copy 10 from 1008 to 9 on 301", "record 301", "graph 11 on 101",
                                                "wait for 301 on 1", "wait for 301 on 101"}));
    lines_.clear();
  }
  EXPECT_EQ(lines_, std::vector<std::string>{"destroy 301"});
  EXPECT_TRUE(second_.events.empty());
}

TEST_F(LaunchSequenceTest, GivesItsEventsBack) {
  {
    LaunchSequence sequence(two_, {{.kind = Kind::kFirstWaits}});
    sequence.replay(std::array{stream(1), stream(101)}, {});
    EXPECT_EQ(second_.events.size(), 1);
  }
  EXPECT_TRUE(first_.events.empty());
  EXPECT_TRUE(second_.events.empty());
}

TEST_F(LaunchSequenceTest, RefusesWhatItCannotReplay) {
  EXPECT_THROW(LaunchSequence({}, {}), ArgumentError);
  EXPECT_THROW(LaunchSequence(two_, {{.gpu = 2}}), ArgumentError);
  EXPECT_THROW(LaunchSequence(two_, {{.base = kernels::kMostBases}}), ArgumentError);
  LaunchSequence sequence(two_, {{.kind = Kind::kTotal, .base = 2}});
  const std::array streams{stream(1), stream(101)};
  const std::array<void*, 1> too_few{};
  const std::array<void*, kernels::kMostBases> too_many{};
  EXPECT_THROW(sequence.replay(std::span(streams).first(1), too_few), ArgumentError);
  EXPECT_THROW(sequence.replay(streams, too_few), ArgumentError);
  EXPECT_THROW(sequence.replay(streams, too_many), ArgumentError);
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace penstock::parallel
