#include "readers/records/record_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "readers/file/io_threads.h"
#include "readers/fingerprint.h"
#include "readers/reader.h"

namespace penstock {
namespace {

/// Files that one data set keeps open, of those that the process may have. To open a file for each record takes 3 us
/// on a local disk.
size_t files_to_keep() {
  rlimit limit{};
  constexpr size_t kMost = 8192;  // a mapping each, of the 65,530 that Linux allows by default
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min<size_t>(limit.rlim_cur / 4, kMost) : 64;
}

/// Where the last of the places ends that make sense. Sums that do not fit are no place.
int64_t end_of(const std::vector<Place>& places) {
  int64_t end = 0;
  for (const Place& place : places)
    if (place.begin >= 0 && place.size >= 0 && place.size <= std::numeric_limits<int64_t>::max() - place.begin)
      end = std::max(end, place.begin + place.size);
  return end;
}

void check_inside(const std::vector<Place>& places, int64_t size) {
  for (const Place& place : places)
    PENSTOCK_CHECK(place.begin >= 0 && place.size >= 0 && place.begin <= size && place.size <= size - place.begin,
                   DataError,
                   "the index has a record of {} bytes at byte {}, the file has {} bytes: it was cut off, or the index "
                   "is that of another file",
                   place.size, place.begin, size);
}

}  // namespace

RecordFiles::RecordFiles(const std::vector<std::string>& paths, InPlace in_place, const List& list, size_t unit,
                         int64_t lead, size_t unpacked)
    : unit_(unit), lead_(lead), places_(paths.size()) {
  PENSTOCK_CHECK(!paths.empty(), ArgumentError, "no files: the list of paths is empty");
  in_place = {in_place.front / paths.size(), in_place.large_front / paths.size()};
  const size_t keep = files_to_keep();
  const auto cache = unpacked > 0 ? std::make_shared<GroupCache<std::string>>(unpacked) : nullptr;
  std::vector<std::optional<RecordFile>> files(paths.size());
  std::vector<PackedFile> packed(paths.size());
  on_io_threads(paths.size(), [&](size_t i) {
    naming_source([&] { return paths[i]; },
                  [&] {
                    PosixFile file = PosixFile::open_named(paths[i], i < keep);
                    places_[i] = list(i, file);
                    places_[i].shrink_to_fit();
                    const Packing packing = cache ? packing_of(file) : Packing::kNone;
                    if (packing != Packing::kNone) {
                      packed[i] = {cache, i, packing, end_of(places_[i])};
                      check_inside(places_[i], packed[i].size);
                      files[i].emplace(paths[i], std::move(file), packed[i]);
                      return;
                    }
                    check_inside(places_[i], file.size());
                    files[i].emplace(paths[i], std::move(file), in_place, i < keep);
                  });
  });
  for (size_t i = 0; i < paths.size(); ++i) {
    files_.push_back(std::move(*files[i]));
    begins_.push_back(begins_.back() + static_cast<int64_t>(places_[i].size() / unit_));
    packed_.most_bytes = std::max(packed_.most_bytes, packed[i].size);
    packed_.all_bytes += packed[i].size;
    if (packed[i].size > 0) packed_.most_records = std::max(packed_.most_records, begins_[i + 1] - begins_[i]);
  }
  PENSTOCK_CHECK(size() > 0, DataError, "no records found in {}", fmt::join(paths, ", "));
}

size_t RecordFiles::file_of(int64_t index) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), index);
  return static_cast<size_t>(next - begins_.begin() - 1);
}

std::pair<const RecordFile*, std::span<const Place>> RecordFiles::places(int64_t index) const {
  PENSTOCK_CHECK(index >= 0 && index < size(), IndexError, "record {} of {}", index, size());
  const size_t which = file_of(index);
  return {&files_[which], places_in(which, index)};
}

int64_t RecordFiles::bytes_of(int64_t index) const {
  int64_t bytes = 0;
  for (const Place& place : places(index).second) bytes += place.size;
  return bytes;
}

void RecordFiles::will_need(int64_t index) const {
  const auto [file, all] = places(index);
  for (const Place& place : all)
    if (place.size > 0) file->will_need({place.begin - lead_, place.size + lead_});
}

void RecordFiles::prefetch(int64_t index, int64_t later) const noexcept {
  constexpr size_t kLine = 64, kFirst = 1024;  // as the processor sees from then on that it is read in order
  if (later >= 0 && later < size()) __builtin_prefetch(places_in(file_of(later), later).data());
  if (index < 0 || index >= size()) return;
  const size_t which = file_of(index);
  const std::string_view bytes = files_[which].in_place(places_in(which, index)[0]);
  for (size_t at = 0; at < std::min(bytes.size(), kFirst); at += kLine) __builtin_prefetch(bytes.data() + at);
}

uint64_t RecordFiles::fingerprint() const {
  Fingerprint all;
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string_view path = files_[i].path();
    all.add(path.substr(path.rfind('/') + 1));  // npos + 1 is 0: no directory
    for (const Place& place : places_[i]) {
      all.add(static_cast<uint64_t>(place.begin));
      all.add(static_cast<uint64_t>(place.size));
    }
  }
  return all.value();
}

}  // namespace penstock
