// Compressed files of records from strangers.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <penstock/error.h>

#include "readers/records/unpacked.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace penstock;
  const PosixFile file = [&] {
    const int fd = ::memfd_create("packed", 0);
    if (::write(fd, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
    const PosixFile made(fd);
    return PosixFile::open_named("/proc/self/fd/" + std::to_string(made.fd()));
  }();
  for (const Packing packing : {Packing::kGzip, Packing::kZstd}) {
    try {
      Unpacker unpacker(file, packing);
      std::array<std::byte, 1000> piece;
      while (unpacker.position() < (1 << 20) && unpacker.read(piece) == piece.size()) {
      }
      unpacked(file, packing, std::min<int64_t>(unpacker.position(), 1 << 20));
    } catch (const DataError&) {
    }
  }
  return 0;
}
