// Sound files: what is read of them, and what is refused.
#include "codec/sound/sound_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <penstock/error.h>

#include "core/message.h"

namespace penstock::codec::sound {
namespace {

using test::expect_in;
using test::message_of;

void put(std::string& to, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
}

/// A WAV file of 16-bit samples that tells `told` bytes of them.
std::string wav(const std::vector<int16_t>& samples, uint16_t channels, uint32_t told, uint32_t rate = 8000) {
  std::string file = "RIFF";
  const auto bytes = static_cast<uint32_t>(2 * samples.size());
  put(file, 36 + bytes, 4);
  file += "WAVEfmt ";
  put(file, 16, 4), put(file, 1, 2), put(file, channels, 2), put(file, rate, 4);
  put(file, rate * channels * 2, 4), put(file, channels * 2u, 2), put(file, 16, 2);
  file += "data";
  put(file, told, 4);
  for (const int16_t sample : samples) put(file, static_cast<uint16_t>(sample), 2);
  return file;
}

SoundFile open(const std::string& bytes) {
  return SoundFile(std::make_unique<Memory>(std::as_bytes(std::span(bytes))));
}

template <class T>
std::vector<T> read(SoundFile& file, int64_t begin, int64_t count) {
  std::vector<T> made(static_cast<size_t>(count * file.channels()));
  file.read(begin, count, dtype_of<T>, reinterpret_cast<std::byte*>(made.data()));
  return made;
}

const std::vector<int16_t> kSamples = {0, 100, -32768, 32767, 5, 6, 7, 8};

TEST(SoundFile, SamplesComeInAllTypesFromAnyPlace) {
  const std::string bytes = wav(kSamples, 2, 16);
  SoundFile file = open(bytes);
  EXPECT_EQ(file.frames(), 4);
  EXPECT_EQ(file.channels(), 2);
  EXPECT_EQ(file.rate(), 8000);
  EXPECT_FALSE(file.floating());
  EXPECT_EQ(read<int16_t>(file, 1, 2), (std::vector<int16_t>{-32768, 32767, 5, 6}));
  EXPECT_EQ(read<float>(file, 1, 1), (std::vector<float>{-1, 32767.f / 32768}));
  EXPECT_EQ(read<int32_t>(file, 3, 1), (std::vector<int32_t>{7 << 16, 8 << 16}));
}

TEST(SoundFile, FilesWithoutSamplesAreFiles) {
  const std::string bytes = wav({}, 1, 0);
  EXPECT_EQ(open(bytes).frames(), 0);
}

TEST(SoundFile, WhatWroteIntoAPipeToldNoSize) {
  for (const uint32_t told : {0xFFFFFFFFu, 0x7FFFF000u}) {
    const std::string bytes = wav(kSamples, 1, told);
    EXPECT_EQ(open(bytes).frames(), 8);
  }
}

TEST(SoundFile, FilesThatWereCutOffAreRefused) {
  const std::string bytes = wav(kSamples, 2, 16);
  for (const size_t size : {bytes.size() - 1, bytes.size() - 15, size_t{44}})
    expect_in("the WAV file was cut off: its header tells 16 bytes of samples",
              message_of<DataError>([&] { open(bytes.substr(0, size)); }));
  for (const size_t size : {4, 20, 30})
    expect_in("not a sound file", message_of<DataError>([&] { open(bytes.substr(0, size)); }));
  expect_in("file is empty", message_of<DataError>([&] { open(""); }));
}

TEST(SoundFile, WhatIsNoSoundIsRefusedInLibsndfilesWords) {
  expect_in("libsndfile", message_of<DataError>([&] { open("these are words and nothing that could be heard"); }));
}

/// A source that breaks after its first kilobyte.
struct Broken final : Source {
  explicit Broken(std::string bytes) : all(std::move(bytes)) {}
  int64_t size() const override { return static_cast<int64_t>(all.size()); }
  void read(int64_t begin, std::span<std::byte> to) const override {
    if (begin >= 1024) throw DataError("the disk is broken");
    std::memcpy(to.data(), all.data() + begin, to.size());
  }
  std::string all;
};

TEST(SoundFile, ErrorsOfASourcePassThroughLibsndfile) {
  const std::string bytes = wav(std::vector<int16_t>(100000, 1), 1, 200000);
  SoundFile file(std::make_unique<Broken>(bytes));
  expect_in("the disk is broken", message_of<DataError>([&] { read<float>(file, 90000, 1000); }));
}

TEST(SoundFile, SizesThatWereNeverFilledInMeanUpToTheEnd) {
  for (const uint32_t told : {0u, 0x7FFFF000u, 0xFFFFFFFFu}) {
    const std::string bytes = wav(kSamples, 1, told);  // what an open file reads lies there
    SoundFile file = open(bytes);
    ASSERT_EQ(file.frames(), 8) << told;
    EXPECT_EQ(read<int16_t>(file, 0, 8), kSamples) << told;
  }
  EXPECT_EQ(open(wav({0, 0, 0}, 1, 0)).frames(), 3) << "silence is no chunk";
  EXPECT_EQ(open(wav({'a' | 'b' << 8, 'c' | 'd' << 8}, 1, 0)).frames(), 2) << "too short for one";
}

TEST(SoundFile, AFileWithoutSamplesHasNoneWhateverChunksFollow) {
  std::string chunks = "LIST";
  put(chunks, 5, 4);
  chunks += "INFO?";
  EXPECT_EQ(open(wav({}, 1, 0)).frames(), 0);
  EXPECT_EQ(open(wav({}, 1, 0) + chunks).frames(), 0);
  EXPECT_EQ(open(wav({}, 1, 0) + chunks + '\0').frames(), 0) << "padded";
  EXPECT_EQ(open(wav({}, 1, 0) + chunks + '\0' + chunks).frames(), 0);
  EXPECT_EQ(open(wav({}, 1, 0) + chunks + "more").frames(), 8);
}

}  // namespace
}  // namespace penstock::codec::sound
