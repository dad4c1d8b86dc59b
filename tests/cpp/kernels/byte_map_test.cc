// Programs that map bytes: which ones are, and the kernels that run them, their threads played by the host's.
#include "kernels/elements/byte_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "cuda/kernels/byte_map.cuh"

namespace penstock::kernels {
namespace {

struct NoHalves {
  static float to_float(uint16_t) { return 0; }
  static uint16_t to_bits(float) { return 0; }
};

Instruction load() { return {.step = Step::kLoad, .operand = 0, .type = DType::kUInt8}; }
Instruction convert(DType from, DType to) { return {.step = Step::kConvert, .type = to, .from = from}; }
Instruction times(float factor) {
  return {.step = Step::kFunction,
          .code = Code::kMul,
          .operand = kImmediate,
          .type = DType::kFloat,
          .from = DType::kFloat,
          .other = DType::kFloat,
          .immediate = {put(factor), 0}};
}

std::vector<Instruction> scaled() {
  return {load(), convert(DType::kUInt8, DType::kFloat), times(1.7f), convert(DType::kFloat, DType::kUInt8)};
}

/// `count` bytes in a line.
ElementJob job_of(int32_t count) {
  ElementJob job{.lane_extent = count, .lanes = kLanes, .dtype = DType::kUInt8, .operands = 1};
  job.result.lane_stride = job.operand[0].lane_stride = 1;
  job.operand[0].dtype = DType::kUInt8;
  return job;
}

TEST(ByteMapTest, ProgramsOfOneByteAreMaps) {
  EXPECT_TRUE(suits_byte_map(job_of(9), scaled()));
  EXPECT_TRUE(suits_byte_map(job_of(9), std::array{load(), Instruction{.step = Step::kLookup}}));
}

TEST(ByteMapTest, OthersAreNone) {
  EXPECT_FALSE(suits_byte_map(job_of(9), std::array{load()})) << "a copy";
  Instruction function = times(2);
  function.operand = 1;
  EXPECT_FALSE(suits_byte_map(job_of(9), std::array{load(), function})) << "of another operand";
  const Instruction divide{.step = Step::kFunction, .code = Code::kDiv, .operand = kImmediate, .type = DType::kInt32};
  EXPECT_FALSE(suits_byte_map(job_of(9), std::array{load(), divide})) << "it may refuse";
  for (const Step step : {Step::kNoise, Step::kErase, Step::kDraw, Step::kMatrix3, Step::kColours, Step::kResample})
    EXPECT_FALSE(suits_byte_map(job_of(9), std::array{load(), Instruction{.step = step}}));
  for (const auto& change :
       {+[](ElementJob& job) { job.dtype = DType::kFloat; },
        +[](ElementJob& job) { job.operand[0].dtype = DType::kInt16; },
        +[](ElementJob& job) { job.operand[0].lane_stride = 2; }, +[](ElementJob& job) { job.result.lane_stride = -1; },
        +[](ElementJob& job) { job.inputs[0] = -1; }, +[](ElementJob& job) { job.operands = 2; },
        +[](ElementJob& job) { job.ndim = 2; }}) {
    ElementJob job = job_of(9);
    change(job);
    EXPECT_FALSE(suits_byte_map(job, scaled()));
  }
}

// Results begin between 16 bytes, too, and nothing around them is touched.
TEST(ByteMapTest, AGpuLooksUpWhatTheProgramMakes) {
  constexpr int32_t kCount = 9001;
  constexpr uint8_t kAround = 3;
  const std::vector<Instruction> program = scaled();
  std::vector<uint8_t> in(kCount + 7);
  std::iota(in.begin(), in.end(), uint8_t{});
  for (const int32_t before : {16, 17, 27}) {
    std::vector<uint8_t> expected(kCount + 48, kAround), found = expected;
    for (int32_t i = 0; i < kCount; ++i)
      expected[static_cast<size_t>(before + i)] =
          convert_sat<uint8_t>(static_cast<float>(in[static_cast<size_t>(7 + i)]) * 1.7f);
    std::array<std::byte, kByteValues> room{};
    std::array<ElementJob, 2> jobs{job_of(0), job_of(kCount)};
    for (ElementJob& job : jobs) {
      job.program = program.data();
      job.instructions = static_cast<int32_t>(program.size());
      job.room = room.data();
    }
    jobs[1].operand[0].data = reinterpret_cast<const std::byte*>(in.data());
    jobs[1].operand[0].offset = 7;
    jobs[1].out = reinterpret_cast<std::byte*>(found.data());
    jobs[1].result.offset = before;
    const auto* first = reinterpret_cast<const std::byte*>(jobs.data());
    cuda::on_threads::run_grid(2, 1, cuda::kByteTableThreads,
                               [&] { cuda::byte_table_kernel<NoHalves>(first, sizeof(ElementJob)); });
    cuda::on_threads::run_grid(2, 2, cuda::kByteMapThreads, [&] { cuda::byte_map_kernel(first, sizeof(ElementJob)); });
    EXPECT_EQ(found, expected) << before;
  }
}

}  // namespace
}  // namespace penstock::kernels
