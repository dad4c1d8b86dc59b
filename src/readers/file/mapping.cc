#include "readers/file/mapping.h"

#include <sys/mman.h>

namespace penstock {

Mapping::Mapping(const PosixFile& file) noexcept {
  const auto size = static_cast<size_t>(file.size());
  if (size == 0) return;
  void* begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (begin != MAP_FAILED) bytes_ = {static_cast<const char*>(begin), size};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace penstock
