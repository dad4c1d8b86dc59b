// libsndfile, which is opened at run time: it brings many codecs along, which pictures do not need.
#pragma once

#include <cstdint>
#include <string>

namespace penstock::codec::sound {

struct Handle;  ///< libsndfile's SNDFILE

/// What a file says of itself, laid out as libsndfile's SF_INFO.
struct Info {
  int64_t frames = 0;
  int rate = 0, channels = 0, format = 0, sections = 0, seekable = 0;
};

/// How libsndfile reads, laid out as its SF_VIRTUAL_IO.
struct Access {
  int64_t (*size)(void* source);
  int64_t (*seek)(int64_t offset, int whence, void* source);
  int64_t (*read)(void* to, int64_t bytes, void* source);
  int64_t (*write)(const void* from, int64_t bytes, void* source);
  int64_t (*tell)(void* source);
};

/// Its functions; those that are null are missing, and `why` tells why.
struct Library {
  static const Library& get();

  Handle* (*open)(Access* access, int mode, Info* info, void* source) = nullptr;
  int (*close)(Handle* file) = nullptr;
  const char* (*error)(Handle* file) = nullptr;
  int64_t (*seek)(Handle* file, int64_t frame, int whence) = nullptr;
  int64_t (*read_float)(Handle* file, float* to, int64_t frames) = nullptr;
  int64_t (*read_short)(Handle* file, int16_t* to, int64_t frames) = nullptr;
  int64_t (*read_int)(Handle* file, int32_t* to, int64_t frames) = nullptr;
  std::string version, why;
};

}  // namespace penstock::codec::sound
