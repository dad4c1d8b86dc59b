#include "readers/caffe2/pack.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>

#include "codec/codec.h"
#include "core/temp_dir.h"
#include "run_reader.h"

namespace penstock {
void register_caffe2(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

std::string idx(std::initializer_list<int> extents, std::string_view data, char type = 8) {
  std::string file = {0, 0, type, static_cast<char>(extents.size())};
  for (const int extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<char>(extent >> shift));
  return file.append(data);
}

void write_gz(const std::string& path, const std::string& content) {
  gzFile file = ::gzopen(path.c_str(), "wb");
  EXPECT_EQ(::gzwrite(file, content.data(), static_cast<unsigned>(content.size())), static_cast<int>(content.size()));
  ::gzclose(file);
}

TEST(Idx, PlainAndCompressedFilesAreRead) {
  const TempDir dir;
  const std::string content = idx({2, 1, 3}, "abcdef");
  dir.write("plain", content);
  write_gz(dir / "small.gz", content);
  for (const char* name : {"plain", "small.gz"}) {
    const IdxArray array = read_idx(dir / name);
    EXPECT_EQ(array.shape, (Shape{2, 1, 3}));
    EXPECT_EQ(std::string(array.data.begin(), array.data.end()), "abcdef");
  }
}

TEST(Idx, DamagedFilesAreNamed) {
  const TempDir dir;
  const auto error = [&](const std::string& content) {
    return message_of<DataError>([&] { read_idx(dir.write("file", content)); });
  };
  expect_in("ends too early", error(""));
  expect_in("ends too early", error(idx({2, 3}, "abcde")));
  expect_in("goes on behind", error(idx({2, 3}, "abcdefg")));
  expect_in("no IDX file", error("PNG file"));
  expect_in("only bytes", error(idx({1}, "abcd", 0x0d)));
  expect_in("ends too early", error(idx({0x7fffffff, 0x7fffffff}, "abc")));
  expect_in("impossible", error(idx({0x7fffffff, 0x7fffffff, 0x7fffffff}, "abc")));
  write_gz(dir / "cut.gz", idx({100'000}, std::string(100'000, 'x')));
  std::filesystem::resize_file(dir / "cut.gz", 60);
  EXPECT_NE(message_of<DataError>([&] { read_idx(dir / "cut.gz"); }), "");
  expect_in("cannot open", message_of<ArgumentError>([&] { read_idx(dir / "none"); }));
}

TEST(Pack, FilesComeBackAsTheyAre) {
  const TempDir dir;
  dir.write("0/a.jpg", "first");
  dir.write("3/b.jpg", std::string(100'000, 'b'));
  const FileList files = FileList::of({"3/b.jpg", "0/a.jpg"}, {{3, 0}}, dir.path());
  EXPECT_EQ(pack_files(files, dir / "db"), 2);
  RunReader run(&register_caffe2, {{"path", dir / "db"}});
  const ReadSample big = run.read(0), small = run.read(1);
  EXPECT_EQ(big[0].text(), std::string(100'000, 'b'));
  EXPECT_EQ(big[1].values<int32_t>(), std::vector<int32_t>{3});
  EXPECT_EQ(small[0].text(), "first");
  EXPECT_EQ(small[1].values<int32_t>(), std::vector<int32_t>{0});
}

TEST(Pack, UnreadableFileIsNamedAndNothingIsLeft) {
  const TempDir dir;
  dir.write("a.jpg");
  dir.write("empty.jpg", "");
  for (const char* bad : {"none.jpg", "empty.jpg"}) {
    const FileList files = FileList::of({"a.jpg", bad}, {}, dir.path());
    expect_in(bad, message_of<DataError>([&] { pack_files(files, dir / "db"); }));
    EXPECT_TRUE(std::filesystem::is_empty(dir / "db"));
  }
}

TEST(Pack, IdxImagesComeBackAsJpeg) {
  const TempDir dir;
  IdxArray images{{2, 28, 30}, {}}, labels{{2}, {4, 9}};
  for (int i = 0; i < 2 * 28 * 30; ++i) images.data.push_back(static_cast<uint8_t>(128 + 100 * std::sin(i * 0.05)));
  EXPECT_EQ(pack_idx(images, labels, dir / "db"), 2);
  RunReader run(&register_caffe2, {{"path", dir / "db"}});
  for (int64_t n = 0; n < 2; ++n) {
    const ReadSample sample = run.read(n);
    EXPECT_EQ(sample[1].values<int32_t>(), std::vector<int32_t>{labels.data[static_cast<size_t>(n)]});
    const std::vector<uint8_t> file = sample[0].values<uint8_t>();
    const codec::Info info = codec::peek(file);
    ASSERT_EQ(info.height, 28);
    ASSERT_EQ(info.width, 30);
    std::vector<uint8_t> pixels(28 * 30);
    codec::Decoder().decode(file, info, codec::whole(info, {.type = ImageType::kGray}),
                            reinterpret_cast<std::byte*>(pixels.data()));
    for (size_t i = 0; i < pixels.size(); ++i) EXPECT_NEAR(pixels[i], images.data[static_cast<size_t>(n) * 840 + i], 6);
  }
}

TEST(Pack, ColourImagesKeepTheirChannelsAndLargeLabels) {
  const TempDir dir;
  std::vector<uint8_t> pixels;
  for (int image = 0; image < 2; ++image)
    for (int i = 0; i < 16 * 24; ++i) pixels.insert(pixels.end(), {250, static_cast<uint8_t>(image * 200), 5});
  const TensorView images{{DType::kUInt8, {2, 16, 24, 3}, {}}, reinterpret_cast<std::byte*>(pixels.data())};
  EXPECT_EQ(pack_images(images, std::vector<int32_t>{21'840, -1}, dir / "db"), 2);
  RunReader run(&register_caffe2, {{"path", dir / "db"}});
  const ReadSample second = run.read(1);
  EXPECT_EQ(run.read(0)[1].values<int32_t>(), std::vector<int32_t>{21'840});
  EXPECT_EQ(second[1].values<int32_t>(), std::vector<int32_t>{-1});
  const std::vector<uint8_t> file = second[0].values<uint8_t>();
  const codec::Info info = codec::peek(file);
  ASSERT_EQ(info.channels, 3);
  std::vector<uint8_t> decoded(16 * 24 * 3);
  codec::Decoder().decode(file, info, codec::whole(info, {}), reinterpret_cast<std::byte*>(decoded.data()));
  for (size_t i = 0; i < decoded.size(); ++i) EXPECT_NEAR(decoded[i], pixels[decoded.size() + i], 4);
}

TEST(Pack, ArraysThatDoNotBelongTogetherAreRefused) {
  const TempDir dir;
  const IdxArray images{{2, 1, 1}, {1, 2}}, labels{{3}, {1, 2, 3}}, none{{0, 1, 1}, {}}, no_labels{{0}, {}};
  expect_in("2 images need as many labels", message_of<DataError>([&] { pack_idx(images, labels, dir / "db"); }));
  expect_in("3 dimensions", message_of<DataError>([&] { pack_idx(labels, labels, dir / "db"); }));
  const TensorView floats{{DType::kFloat, {1, 1, 1}, {}}, nullptr};
  expect_in("must be uint8", message_of<TypeError>([&] { pack_images(floats, std::vector<int32_t>{1}, dir / "db"); }));
  expect_in("got 0", message_of<ArgumentError>([&] { pack_idx(none, no_labels, dir / "db"); }));
}

}  // namespace
}  // namespace penstock
