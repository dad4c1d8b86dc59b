// Compressed files of records, in one stream and in several, whole and cut off.
#include "readers/records/unpacked.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include <penstock/error.h>

#include "core/check.h"
#include "core/temp_dir.h"

namespace penstock {
namespace {

std::string zstd(std::string_view text) {
  std::string packed(::ZSTD_compressBound(text.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string gzip(std::string_view text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(::deflateBound(&z, text.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  ::deflateEnd(&z);
  return packed;
}

std::string text_of(size_t size) {
  std::string text(size, '\0');
  uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 28);
  return text;
}

class Packed : public testing::TestWithParam<std::string (*)(std::string_view)> {
 protected:
  PosixFile file(const std::string& data) { return PosixFile::open_named(folder.write("packed", data)); }
  static std::string all(const PosixFile& file, size_t piece) {
    Unpacker unpacker(file, packing_of(file));
    std::string text, part(piece, '\0');
    size_t n = piece;
    while (n == piece) {
      n = unpacker.read(std::as_writable_bytes(std::span(part)));
      text.append(part, 0, n);
    }
    EXPECT_EQ(unpacker.position(), static_cast<int64_t>(text.size()));
    return text;
  }
  test::TempDir folder;
};

TEST_P(Packed, StreamsFollowEachOther) {
  const std::string text = text_of(3'000'000);
  for (const size_t piece : {size_t{777}, size_t{1} << 20}) {
    EXPECT_EQ(all(file(GetParam()(text)), piece), text);
    EXPECT_EQ(all(file(GetParam()(text) + GetParam()("") + GetParam()("end")), piece), text + "end");
  }
}

TEST_P(Packed, CutsAndDamageAreErrors) {
  const std::string packed = GetParam()(text_of(5000));
  for (size_t cut = 4; cut < packed.size(); cut += 7)
    EXPECT_THROW(all(file(packed.substr(0, cut)), 100), DataError) << cut;
  EXPECT_THROW(all(file(packed + "junk that is no stream"), 100), DataError);
}

TEST_P(Packed, NoMoreIsUnpackedThanIsAskedFor) {
  const std::string text = text_of(5000);
  const PosixFile packed = file(GetParam()(text));
  EXPECT_EQ(unpacked(packed, packing_of(packed), 1234), text.substr(0, 1234));
  EXPECT_EQ(unpacked(packed, packing_of(packed), 5000), text);
  EXPECT_THROW(unpacked(packed, packing_of(packed), 5001), DataError);
}

INSTANTIATE_TEST_SUITE_P(All, Packed, testing::Values(&gzip, &zstd));

}  // namespace
}  // namespace penstock
