// The GPU's own JPEG decoder, which is no kernel: a library of the driver's feeds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace penstock::device {

/// A JPEG file for the GPU's JPEG engine.
struct EnginePicture {
  std::span<const uint8_t> file;
  std::array<void*, 3> planes{};    ///< where the samples of each component go, as the file has them
  std::array<size_t, 3> pitches{};  ///< from row to row
  bool decoded = false;             ///< set by the engine
};

/// A way into the GPU's JPEG engine, for one thread at a time.
class JpegEngine {
 public:
  virtual ~JpegEngine() = default;
  /// Returns when all samples are written. Does not wait for any stream before it writes. A picture that it cannot do
  /// spoils no other.
  virtual void decode(std::span<EnginePicture> pictures) = 0;
};

/// Opens one more way in. @throws std::runtime_error with the reason where there is no engine, or no library to reach
/// it
using OpenJpegEngine = std::function<std::unique_ptr<JpegEngine>()>;

/// That of the GPU of that number, by way of the CUDA half.
std::unique_ptr<JpegEngine> open_jpeg_engine(int gpu);

}  // namespace penstock::device
