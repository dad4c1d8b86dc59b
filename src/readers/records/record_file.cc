#include "readers/records/record_file.h"

#include <fcntl.h>

namespace penstock {

RecordFile::RecordFile(std::string path, PosixFile file, InPlace in_place, bool keep) : path_(std::move(path)) {
  if (file.is_remote()) remote_ = std::move(file);
  if (!keep || remote_.is_remote()) return;
  mapping_ = Mapping(file);
  if (kept()) map_ = PartialMap(std::move(file), mapping_.bytes().data(), mapping_.bytes().size(), in_place);
}

void RecordFile::copy_to(char* copy, Place place) const {
  const std::span bytes(copy, static_cast<size_t>(place.size));
  if (remote_.is_remote()) return remote_.read(std::as_writable_bytes(bytes), place.begin);
  PosixFile::open(AT_FDCWD, path_.c_str()).read(std::as_writable_bytes(bytes), place.begin);
}

void RecordFile::will_need(Place place) const {
  if (kept()) return map_.will_need(view(place));
  if (remote_.is_remote()) return remote_.will_need(place.begin, place.size);
  PosixFile::open(AT_FDCWD, path_.c_str()).will_need(place.begin, place.size);
}

std::string_view RecordFile::in_place(Place place) const {
  if (!kept()) return {};
  const std::string_view bytes = view(place);
  return map_.in_place(bytes, bytes.size()) ? bytes : std::string_view();
}

}  // namespace penstock
