#include "codec/sound/sound_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "codec/sound/library.h"
#include "core/check.h"

namespace penstock::codec::sound {
namespace {

constexpr int kReadMode = 0x10;
constexpr int kSubtypes = 0xFFFF;
/// No format packs more samples into a byte; silence comes nearest, which FLAC keeps in 14 bytes a block.
constexpr int64_t kMostSamplesPerByte = int64_t{1} << 14;
constexpr int kMostChannels = 1024;

/// A place in a source, as libsndfile's functions see it. No exception may pass through that.
struct Cursor {
  const Source* source = nullptr;
  int64_t unfilled = -1;  // where a size stands that libsndfile shall see as unknown
  int64_t at = 0;
  std::exception_ptr failure;
};

int64_t size_of_source(void* cursor) { return static_cast<Cursor*>(cursor)->source->size(); }

int64_t tell(void* cursor) { return static_cast<Cursor*>(cursor)->at; }

int64_t seek(int64_t offset, int whence, void* user) {
  auto& cursor = *static_cast<Cursor*>(user);
  const int64_t size = cursor.source->size(), from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? cursor.at : size;
  if (offset < -from || offset > size - from) return -1;
  return cursor.at = from + offset;
}

int64_t read(void* to, int64_t bytes, void* user) {
  auto& cursor = *static_cast<Cursor*>(user);
  const int64_t count = std::clamp<int64_t>(cursor.source->size() - cursor.at, 0, std::max<int64_t>(bytes, 0));
  try {
    if (count > 0) cursor.source->read(cursor.at, {static_cast<std::byte*>(to), static_cast<size_t>(count)});
  } catch (...) {
    cursor.failure = std::current_exception();
    return 0;
  }
  for (int64_t i = std::max(cursor.unfilled, cursor.at);
       cursor.unfilled >= 0 && i < std::min(cursor.unfilled + 4, cursor.at + count); ++i)
    static_cast<uint8_t*>(to)[i - cursor.at] = 0xFF;
  cursor.at += count;
  return count;
}

int64_t write(const void*, int64_t, void*) { return 0; }

/// Whether samples are kept as floating-point numbers, or come from a codec that computes with them.
bool is_floating_subtype(int format) {
  const int subtype = format & kSubtypes;
  constexpr int kFloat = 6, kDouble = 7, kVorbis = 0x60, kOpus = 0x64, kMpegFirst = 0x80, kMpegLast = 0x82;
  return subtype == kFloat || subtype == kDouble || subtype == kVorbis || subtype == kOpus ||
         (subtype >= kMpegFirst && subtype <= kMpegLast);
}

uint32_t little_endian(const std::byte* at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | std::to_integer<uint32_t>(at[i]);
  return value;
}

constexpr int64_t kChunkHeader = 8;
constexpr int kMostChunks = 64;

/// Whether the bytes from `at` on are chunks of a WAV file, up to its end.
bool are_chunks(const Source& source, int64_t at) {
  const int64_t size = source.size();
  std::byte head[kChunkHeader];
  for (int i = 0; i < kMostChunks && at + kChunkHeader <= size; ++i) {
    source.read(at, head);
    for (const std::byte letter : std::span(head).first(4))
      if (letter < std::byte{' '} || letter > std::byte{'~'}) return false;
    const int64_t told = little_endian(head + 4);
    at += kChunkHeader + told;
    if (told % 2 && at < size) ++at;
  }
  return at == size;
}

/// Where the size of a WAV file's samples stands that its writer has not filled in: a 0 with samples behind it, as of a
/// recording that was not closed. -1: nowhere. libsndfile gives nothing of these.
/// @throws DataError for a file that was cut off, which libsndfile takes for a shorter one
int64_t unfilled_size(const Source& source) {
  constexpr int64_t kHeader = 12;
  constexpr uint32_t kUnknown = 0x7FFF0000;  // what writes into a pipe tells this size or more
  std::byte head[kHeader];
  const int64_t size = source.size();
  if (size < kHeader) return -1;
  source.read(0, head);
  if (std::memcmp(head, "RIFF", 4) != 0 || std::memcmp(head + 8, "WAVE", 4) != 0) return -1;
  int64_t at = kHeader;
  for (int i = 0; i < kMostChunks && at + kChunkHeader <= size; ++i) {
    source.read(at, std::span(head).first(kChunkHeader));
    const uint32_t told = little_endian(head + 4);
    at += kChunkHeader;
    if (std::memcmp(head, "data", 4) == 0) {
      PENSTOCK_CHECK(told >= kUnknown || int64_t{told} <= size - at, DataError,
                     "the WAV file was cut off: its header tells {} bytes of samples, {} are there", told, size - at);
      return told == 0 && !are_chunks(source, at) ? at - 4 : -1;
    }
    at += int64_t{told} + (told & 1);
  }
  return -1;
}

}  // namespace

void check_library() {
  const std::string& why = Library::get().why;
  PENSTOCK_CHECK(why.empty(), ArgumentError, "{}", why);
}

void Memory::read(int64_t begin, std::span<std::byte> to) const {
  std::copy_n(bytes_.begin() + begin, to.size(), to.begin());
}

struct SoundFile::Open {
  explicit Open(std::unique_ptr<Source> from) : source(std::move(from)), cursor{.source = source.get()} {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    if (handle) library.close(handle);
  }
  /// What the source threw, or libsndfile says. @param what  happened
  [[noreturn]] void refuse(std::string_view what) const {
    if (cursor.failure) std::rethrow_exception(cursor.failure);
    std::string words = library.error(handle);
    while (words.ends_with('.') || words.ends_with('\n')) words.pop_back();
    fail<DataError>("{}: libsndfile {} says \"{}\"", what, library.version, words);
  }

  const Library& library = Library::get();
  std::unique_ptr<Source> source;
  Cursor cursor;
  Info info;
  Handle* handle = nullptr;
};

SoundFile::SoundFile(std::unique_ptr<Source> source) : open_(std::make_unique<Open>(std::move(source))) {
  Open& open = *open_;
  check_library();
  PENSTOCK_CHECK(open.source->size() > 0, DataError, "file is empty (0 bytes)");
  open.cursor.unfilled = unfilled_size(*open.source);
  Access access{size_of_source, seek, sound::read, write, tell};  // libsndfile keeps a copy
  open.handle = open.library.open(&access, kReadMode, &open.info, &open.cursor);
  if (!open.handle) open.refuse("not a sound file, or one of an unknown format");
  const Info& info = open.info;
  PENSTOCK_CHECK(info.channels > 0 && info.channels <= kMostChannels && info.rate > 0, DataError,
                 "the header tells {} channels at {} Hz", info.channels, info.rate);
  PENSTOCK_CHECK(info.frames >= 0 && info.frames / kMostSamplesPerByte * info.channels <= open.source->size(),
                 DataError, "the header tells {} samples of {} channels, more than {} bytes can hold", info.frames,
                 info.channels, open.source->size());
}

SoundFile::SoundFile() = default;
SoundFile::SoundFile(SoundFile&&) noexcept = default;
SoundFile& SoundFile::operator=(SoundFile&&) noexcept = default;
SoundFile::~SoundFile() = default;

int64_t SoundFile::frames() const { return open_->info.frames; }
int SoundFile::channels() const { return open_->info.channels; }
int SoundFile::rate() const { return open_->info.rate; }

void SoundFile::read(int64_t begin, int64_t count, DType type, std::byte* to) {
  Open& open = *open_;
  if (count == 0) return;
  if (begin > 0 && open.library.seek(open.handle, begin, SEEK_SET) != begin)
    open.refuse(fmt::format("sample {} cannot be reached", begin));
  int64_t read = 0;
  if (type == DType::kFloat)
    read = open.library.read_float(open.handle, reinterpret_cast<float*>(to), count);
  else if (type == DType::kInt16)
    read = open.library.read_short(open.handle, reinterpret_cast<int16_t*>(to), count);
  else
    read = open.library.read_int(open.handle, reinterpret_cast<int32_t*>(to), count);
  if (open.cursor.failure) std::rethrow_exception(open.cursor.failure);
  if (read == count) return;
  open.refuse(fmt::format("the file ends early, or is damaged: of {} samples a channel {} could be read",
                          open.info.frames, begin + read));
}

bool SoundFile::floating() const { return is_floating_subtype(open_->info.format); }

}  // namespace penstock::codec::sound
