// Files of sound: WAV, FLAC, Ogg with Vorbis or Opus, MP3 and what else the installed libsndfile reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <penstock/dtype.h>

namespace penstock::codec::sound {

/// @throws ArgumentError that tells how to install libsndfile where it is not there
void check_library();

/// Where the bytes of a file are.
class Source {
 public:
  virtual ~Source() = default;
  virtual int64_t size() const = 0;
  /// Fills `to` with the bytes from `begin` on, which are there. @throws DataError where they cannot be read
  virtual void read(int64_t begin, std::span<std::byte> to) const = 0;
};

/// Bytes in memory that the caller keeps.
class Memory final : public Source {
 public:
  explicit Memory(std::span<const std::byte> bytes) : bytes_(bytes) {}
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  void read(int64_t begin, std::span<std::byte> to) const override;

 private:
  std::span<const std::byte> bytes_;
};

class SoundFile {
 public:
  SoundFile();
  /// Reads the header. @throws DataError for what is no sound, was cut off, or tells more than it can hold; as
  /// check_library() does
  explicit SoundFile(std::unique_ptr<Source> source);
  SoundFile(SoundFile&&) noexcept;
  SoundFile& operator=(SoundFile&&) noexcept;
  ~SoundFile();

  int64_t frames() const;  ///< samples of each channel
  int channels() const;
  int rate() const;  ///< in Hz

  /// Whether the file keeps floating-point numbers, or its codec computes with them: libsndfile gives no good integers
  /// of those.
  bool floating() const;

  /// Reads frames [begin, begin + count), channels side by side, as float, int16 or int32.
  /// @throws DataError where the file ends early
  void read(int64_t begin, int64_t count, DType type, std::byte* to);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace penstock::codec::sound
