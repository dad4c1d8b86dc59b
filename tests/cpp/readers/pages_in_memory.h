// Which pages of a file the system has in memory.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "readers/file/posix_file.h"

namespace penstock::test {

/// The part of a file that is in memory, page by page. Looking does not bring pages in, as a read without waiting
/// would.
inline std::vector<unsigned char> pages_in_memory(const PosixFile& file) {
  const auto size = static_cast<size_t>(file.size());
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
  EXPECT_NE(map, MAP_FAILED);
  EXPECT_EQ(::mincore(map, size, pages.data()), 0);
  ::munmap(map, size);
  for (unsigned char& in_memory : pages) in_memory &= 1;
  return pages;
}

}  // namespace penstock::test
