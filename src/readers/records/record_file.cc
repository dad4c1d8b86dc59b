#include "readers/records/record_file.h"

#include <fcntl.h>

#include "readers/remote/url.h"

namespace penstock {

RecordFile::RecordFile(std::string path, PosixFile file, InPlace in_place, bool keep) : path_(std::move(path)) {
  if (keep && !file.is_remote()) mapping_ = Mapping(file);
  if (kept())
    map_ = PartialMap(std::move(file), mapping_.bytes().data(), mapping_.bytes().size(), in_place);
  else if (remote::is_url(path_))
    held_ = std::move(file);
}

RecordFile::RecordFile(std::string path, PosixFile file, PackedFile packed)
    : path_(std::move(path)), packed_(std::move(packed)) {
  if (remote::is_url(path_)) held_ = std::move(file);
}

std::shared_ptr<const std::string> RecordFile::unpacked_file() const {
  return packed_.cache->get(packed_.number, packed_.size, [&] {
    const PosixFile here = is_held() ? PosixFile() : PosixFile::open(AT_FDCWD, path_.c_str());
    const PosixFile& file = is_held() ? held_ : here;
    return std::make_shared<const std::string>(unpacked(file, packed_.packing, packed_.size));
  });
}

void RecordFile::copy_to(char* copy, Place place) const {
  if (packed_.cache) {
    unpacked_file()->copy(copy, static_cast<size_t>(place.size), static_cast<size_t>(place.begin));
    return;
  }
  const std::span bytes(copy, static_cast<size_t>(place.size));
  if (is_held()) return held_.read(std::as_writable_bytes(bytes), place.begin);
  PosixFile::open(AT_FDCWD, path_.c_str()).read(std::as_writable_bytes(bytes), place.begin);
}

void RecordFile::will_need(Place place) const {
  if (packed_.cache) return static_cast<void>(unpacked_file());
  if (kept()) return map_.will_need(view(place));
  if (is_held()) return held_.will_need(place.begin, place.size);
  PosixFile::open(AT_FDCWD, path_.c_str()).will_need(place.begin, place.size);
}

std::string_view RecordFile::in_place(Place place) const {
  if (!kept()) return {};
  const std::string_view bytes = view(place);
  return map_.in_place(bytes, bytes.size()) ? bytes : std::string_view();
}

}  // namespace penstock
