#include "core/temp_dir.h"
#include "run_reader.h"

namespace penstock {
void register_sequence(Registry& r);
namespace {

using test::ReadSample;
using test::RunReader;
using test::TempDir;

/// A picture of 2 x 1 pixels, all of that value.
std::string frame(char value, const char* size = "2 1") {
  return fmt::format("P6\n{}\n255\n", size) + std::string(size[0] == '2' ? 6 : 9, value);
}

std::map<std::string, ArgValue> arguments(const TempDir& dir, int64_t length, int64_t step, int64_t stride) {
  return {{"file_root", dir.path()}, {"sequence_length", length}, {"step", step}, {"stride", stride}};
}

TEST(Sequence, FramesAreThoseOfOneDirectory) {
  const TempDir dir;
  for (int i = 0; i < 5; ++i) dir.write(fmt::format("a/{}.ppm", i), frame(static_cast<char>(i)));
  for (int i = 0; i < 3; ++i) dir.write(fmt::format("b/{}.ppm", i), frame(static_cast<char>(10 + i)));
  RunReader run(&register_sequence, arguments(dir, 2, 2, 2));
  ASSERT_EQ(run.reader().size(), 3);
  const char first[][2] = {{0, 2}, {2, 4}, {10, 12}};
  for (int64_t i = 0; i < 3; ++i) {
    const ReadSample sample = run.read(i);
    EXPECT_EQ(sample[0].desc, (TensorDesc{DType::kUInt8, {2, 1, 2, 3}, "FHWC"}));
    EXPECT_EQ(sample[0].text(), std::string(6, first[i][0]) + std::string(6, first[i][1]));
  }
}

TEST(Sequence, FramesOfAnotherSizeAreRefused) {
  const TempDir dir;
  dir.write("a/0.ppm", frame(1));
  dir.write("a/1.ppm", frame(1, "3 1"));
  RunReader run(&register_sequence, arguments(dir, 2, 1, 1));
  EXPECT_THROW(run.read(0), DataError);
}

TEST(Sequence, LengthsThatNoDirectoryHasAreRefused) {
  const TempDir dir;
  dir.write("a/0.ppm", frame(1));
  dir.write("a/1.ppm", frame(1));
  for (const int64_t most : {int64_t{3}, int64_t{1} << 62}) {
    EXPECT_THROW(RunReader(&register_sequence, arguments(dir, most, 1, 1)), ArgumentError);
    EXPECT_THROW(RunReader(&register_sequence, arguments(dir, 2, 1, most)), ArgumentError);
  }
}

}  // namespace
}  // namespace penstock
