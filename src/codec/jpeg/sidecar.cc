#include "codec/jpeg/sidecar.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/whole_file.h"

namespace penstock::codec::jpeg {
namespace {

constexpr uint32_t kMagic = 0x4B435350;  // "PSCK"; as another number on machines of the other byte order
// Of the record and of what a place is: PlaceGrid and PackedPlaces.
constexpr uint32_t kVersion = 1;

struct RecordHeader {
  uint32_t magic = kMagic, version = kVersion;
  FileKey file;
  uint64_t words = 0;
  uint64_t check = 0;  // of this header without it, and of the words
};

uint64_t check_of(RecordHeader header, std::span<const uint16_t> words) {
  header.check = key_of({reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()}).hash[0];
  return key_of({reinterpret_cast<const uint8_t*>(&header), sizeof header}).hash[0];
}

// More than the places of any picture: a damaged record must not claim gigabytes of memory.
constexpr uint64_t kMaxWords = uint64_t{1} << 24;

// Reads record after record, from byte `begin` on, until one is damaged.
class Records {
 public:
  Records(const std::string& path, uintmax_t begin) : in_(path, std::ios::binary), sound_(begin) {
    std::error_code none;
    const uintmax_t size = std::filesystem::file_size(path, none);
    if (none || size <= begin) return;
    left_ = size - begin;
    in_.seekg(static_cast<std::streamoff>(begin));
  }

  /// @return false at the end and at a damaged record
  bool next(FileKey& file, PackedPlaces& places) {
    RecordHeader header;
    if (left_ < sizeof header || !in_.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
    if (header.magic != kMagic || header.version != kVersion) return false;
    if (header.words > std::min<uint64_t>(kMaxWords, (left_ - sizeof header) / sizeof(uint16_t))) return false;
    places.resize(header.words);
    const size_t bytes = header.words * sizeof(uint16_t);
    if (!in_.read(reinterpret_cast<char*>(places.data()), static_cast<std::streamsize>(bytes))) return false;
    if (header.check != check_of(header, places)) return false;
    sound_ += sizeof header + bytes;
    left_ -= sizeof header + bytes;
    file = header.file;
    return true;
  }

  uintmax_t sound_bytes() const { return sound_; }
  uintmax_t other_bytes() const { return left_; }

 private:
  std::ifstream in_;
  uintmax_t sound_, left_ = 0;
};

/// @throws ArgumentError for anything but a file that is empty or begins as ours do
void check_ours(const std::string& path) {
  std::error_code none;
  PENSTOCK_CHECK(std::filesystem::is_regular_file(path, none), ArgumentError,
                 "the checkpoint file {} is no regular file", path);
  std::ifstream in(path, std::ios::binary);
  PENSTOCK_CHECK(in, ArgumentError, "the checkpoint file {} cannot be read", path);
  uint32_t magic = kMagic;
  in.read(reinterpret_cast<char*>(&magic), sizeof magic);
  PENSTOCK_CHECK(in.gcount() == 0 || (in.gcount() == sizeof magic && magic == kMagic), ArgumentError,
                 "{} is no checkpoint file, and stays as it is; name another one", path);
}

// Another process may add to the old file meanwhile; what it adds is then found again by later runs.
bool replace_by_sound_part(const std::string& path, uintmax_t bytes) {
  const std::string fresh = name_beside(path);
  std::error_code failed;
  std::filesystem::copy_file(path, fresh, std::filesystem::copy_options::overwrite_existing, failed);
  if (!failed) std::filesystem::resize_file(fresh, bytes, failed);
  if (!failed) std::filesystem::rename(fresh, path, failed);
  if (!failed) return true;
  std::filesystem::remove(fresh, failed);
  return false;
}

}  // namespace

Sidecar::Sidecar(const std::string& path, Take take) : path_(path), take_(std::move(take)) {
  std::error_code none;
  const bool there = std::filesystem::exists(path, none);
  if (there) {
    check_ours(path);
    // What would be written behind damage would never be read.
    if (!read_new() && !replace_by_sound_part(path, read_)) return;
  }
  out_.rdbuf()->pubsetbuf(nullptr, 0);  // a record is one write
  out_.open(path, std::ios::binary | std::ios::app);
  PENSTOCK_CHECK(out_ || there, ArgumentError,
                 "the checkpoint file {} cannot be made: is there such a folder, and may it be written to?", path);
}

bool Sidecar::read_new() {
  Records records(path_, read_);
  FileKey file;
  PackedPlaces places;
  bool room = true;
  while (room && records.next(file, places)) room = take_(file, std::move(places));
  read_ = records.sound_bytes();
  return !room || records.other_bytes() == 0;
}

void Sidecar::append(const FileKey& key, std::span<const uint16_t> places) {
  if (!out_.is_open() || !out_) return;
  RecordHeader header{.file = key, .words = places.size()};
  header.check = check_of(header, places);
  record_.resize(sizeof header + places.size_bytes());
  std::memcpy(record_.data(), &header, sizeof header);
  if (!places.empty()) std::memcpy(&record_[sizeof header], places.data(), places.size_bytes());
  out_.write(reinterpret_cast<const char*>(record_.data()), static_cast<std::streamsize>(record_.size()));
}

}  // namespace penstock::codec::jpeg
