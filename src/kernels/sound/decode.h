// Sound out of files at the rate, with the channels and in the type that are wanted.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "codec/sound/sound_file.h"
#include "kernels/sound/resample.h"
#include "schema/sample.h"

namespace penstock::kernels {

struct SoundRequest {
  double rate = 0;  ///< in Hz; 0: that of the file
  float quality = 50;
  bool downmix = false;
  DType dtype = DType::kFloat;
};

/// @throws ArgumentError for what no file could give
void check_request(const SoundRequest& request);

/// Part of a file that is decoded as requested.
class SoundDecoding {
 public:
  /// All of the file, until take().
  void open(codec::sound::SoundFile file, const SoundRequest& request);
  const codec::sound::SoundFile& file() const { return file_; }
  /// Restricts what is decoded to frames [begin, end) of the file, which has them.
  void take(int64_t begin, int64_t end) { begin_ = begin, end_ = end; }
  /// (samples) with `downmix`, else (samples, channels). @throws ArgumentError for too many
  Shape shape();
  /// Writes them, and closes the file. Works in memory of the sample.
  void decode(Sample& s, std::byte* out);

 private:
  bool resamples() const { return request_.rate > 0 && request_.rate != file_.rate(); }
  bool mixes() const { return request_.downmix && file_.channels() > 1; }
  void decode_through_floats(Sample& s, std::byte* out);

  codec::sound::SoundFile file_;
  SoundRequest request_;
  SoundResampler resampler_;
  int64_t begin_ = 0, end_ = 0, length_ = 0;
};

}  // namespace penstock::kernels
