// What readers.numpy asks of the disk ahead of samples.
#include <fcntl.h>

#include <algorithm>
#include <string>

#include "core/temp_dir.h"
#include "pages_in_memory.h"
#include "readers/file/posix_file.h"
#include "run_reader.h"

namespace penstock {
void register_numpy(Registry& r);
namespace {

constexpr size_t kBytes = 4'000'000;

/// A file of so many uint8.
std::string npy() {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4000000,), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + std::string(kBytes, 'x');
}

/// The share of a file that is in memory once it was asked for ahead, behind a sample with that part of another one.
double asked_for_ahead(const test::TempDir& folder, double part) {
  const std::vector<std::string> files = {folder.write("0.npy", npy()), folder.write("1.npy", npy())};
  test::RunReader run(&register_numpy, {{"files", files}, {"rel_roi_shape", std::vector<double>{part}}});
  run.read(0);
  const PosixFile file = PosixFile::open(AT_FDCWD, files[1].c_str());
  EXPECT_EQ(::fdatasync(file.fd()), 0);
  EXPECT_EQ(::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED), 0);
  if (test::pages_in_memory(file).back()) return -1;
  run.reader().will_need(1);
  const auto pages = test::pages_in_memory(file);
  return static_cast<double>(std::ranges::count(pages, 1)) / static_cast<double>(pages.size());
}

TEST(NumpyReader, WholeFilesAreAskedForAheadUnlessSamplesTakeParts) {
  const test::TempDir folder;
  const double whole = asked_for_ahead(folder, 1);
  if (whole < 0) GTEST_SKIP() << "this file system keeps all its files in memory";
  EXPECT_GT(whole, 0.5);
  const double part = asked_for_ahead(folder, 0.1);
  EXPECT_GT(part, 0);
  EXPECT_LT(part, 0.2);
}

}  // namespace
}  // namespace penstock
