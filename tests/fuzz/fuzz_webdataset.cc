// Tar archives and their indices from strangers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <penstock/error.h>

#include "readers/webdataset/samples.h"
#include "readers/webdataset/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const penstock::Extensions extensions({"jpg;png", "cls"}, false);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto attempt = [](auto&& action) {
    try {
      action();
    } catch (const penstock::DataError&) {
    }
  };
  attempt([&] { penstock::parse_wds_index(text, extensions, penstock::MissingComponent::kEmpty); });
  attempt([&] { penstock::parse_pax(text); });
  attempt([&] { penstock::parse_tar_header(text.substr(0, penstock::kTarBlock)); });
  // TarWalk reads files; one in memory is as good. A right checksum would be found by chance only.
  std::string archive(text);
  for (size_t block = 0; block + penstock::kTarBlock <= archive.size(); block += penstock::kTarBlock) {
    if (archive[block] == '\0') continue;
    int sum = 0;
    for (size_t i = 0; i < penstock::kTarBlock; ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<uint8_t>(archive[block + i]);
    for (int digit = 0; digit < 7; ++digit)
      archive[block + 148 + digit] = static_cast<char>('0' + (sum >> (3 * (6 - digit)) & 7));
    archive[block + 155] = '\0';
  }
  penstock::PosixFile file = [&] {
    const int fd = ::memfd_create("archive", 0);
    if (::write(fd, archive.data(), archive.size()) != static_cast<ssize_t>(archive.size())) __builtin_trap();
    penstock::PosixFile made(fd);
    return penstock::PosixFile::open_named("/proc/self/fd/" + std::to_string(made.fd()));
  }();
  attempt([&] { penstock::list_tar(file, extensions, penstock::MissingComponent::kEmpty); });
  return 0;
}
