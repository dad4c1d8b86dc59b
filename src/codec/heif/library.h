// libheif, which is opened at run time: it brings video codecs along, which other formats do not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace penstock::codec::heif {

struct Context;  ///< libheif's heif_context
struct Handle;   ///< its heif_image_handle
struct Picture;  ///< its heif_image

/// What its functions return, laid out as its heif_error.
struct Status {
  int code = 0, detail = 0;
  const char* text = nullptr;
};

/// Its numbers, which it keeps from version to version.
enum Codec : int { kHevc = 1, kAv1 = 4 };
enum Colours : int { kRgb = 1 };
enum Chroma : int { kRgb8 = 10, kRgba8 = 11, kRgb16 = 14, kRgba16 = 15 };  // of 16 bits the lower byte comes first
enum Channel : int { kInterleaved = 10 };

/// Its functions; those that are null are missing, and `why` tells why.
struct Library {
  static const Library& get();

  Context* (*make)() = nullptr;
  void (*destroy)(Context*) = nullptr;
  void (*limit_threads)(Context*, int count) = nullptr;
  void (*limit_size)(Context*, int width) = nullptr;
  Status (*read)(Context*, const void* bytes, size_t size, const void* options) = nullptr;
  Status (*primary)(Context*, Handle** handle) = nullptr;
  void (*release_handle)(const Handle*) = nullptr;
  int (*width)(const Handle*) = nullptr;
  int (*height)(const Handle*) = nullptr;
  int (*has_alpha)(const Handle*) = nullptr;
  int (*bits)(const Handle*) = nullptr;
  Status (*decode)(const Handle*, Picture** image, int colours, int chroma, const void* options) = nullptr;
  void (*release_image)(const Picture*) = nullptr;
  int (*image_width)(const Picture*, int channel) = nullptr;
  int (*image_height)(const Picture*, int channel) = nullptr;
  int (*image_bits)(const Picture*, int channel) = nullptr;
  const uint8_t* (*plane)(const Picture*, int channel, int* row_bytes) = nullptr;
  int (*has_decoder)(int codec) = nullptr;
  std::string version, why;
};

}  // namespace penstock::codec::heif
