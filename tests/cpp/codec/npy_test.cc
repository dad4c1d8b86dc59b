#include "codec/npy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include <penstock/error.h>

namespace penstock::npy {
namespace {

std::string file(const std::string& dict, char version = 1) {
  std::string text = "\x93NUMPY";
  text += {version, 0, static_cast<char>(dict.size()), 0};
  if (version > 1) text += {0, 0};
  return text + dict;
}

Header parse(const std::string& text, uint64_t size = 1000) { return parse_header(text, size); }

TEST(Npy, HeadersAreRead) {
  const std::string dict = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }  \n";
  for (const char version : {1, 2, 3}) {
    const Header header = parse(file(dict, version));
    EXPECT_EQ(header.dtype, DType::kInt32);
    EXPECT_EQ(header.shape, (Shape{2, 3}));
    EXPECT_TRUE(header.fortran);
    EXPECT_EQ(header.data, file(dict, version).size());
  }
  EXPECT_EQ(parse(file("{\"shape\":(),'fortran_order':False,'descr':'|b1'}")).shape, Shape{});
  EXPECT_EQ(parse(file("{'descr': '=f8', 'fortran_order': False, 'shape': (4L,)}")).shape, Shape{4});
}

TEST(Npy, EveryCutOfAHeaderIsRefused) {
  const std::string good = file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }");
  for (size_t n = 0; n < good.size(); ++n) {
    const std::vector<char> exact(good.begin(), good.begin() + static_cast<ptrdiff_t>(n));
    EXPECT_THROW(parse_header({exact.data(), n}, n), DataError) << n;
  }
  EXPECT_NO_THROW(parse(good, good.size() + 24));
  EXPECT_THROW(parse(good, good.size() + 23), DataError);
}

TEST(Npy, ShapesBeyondTheFileAreRefused) {
  const auto shape = [](const std::string& text) {
    return file("{'descr': '<i8', 'fortran_order': False, 'shape': (" + text + ")}");
  };
  for (const char* bad : {"1000", "9223372036854775807, 2", "4294967296, 4294967296", "0, 9223372036854775807", "-1",
                          "1, 1, 1, 1, 1, 1, 1, 1, 1", "x", "1 2", "99999999999999999999"})
    EXPECT_THROW(parse(shape(bad)), DataError) << bad;
  EXPECT_EQ(parse(shape("0, 7")).shape, (Shape{0, 7}));
}

TEST(Npy, BlocksGoFromFortransOrderToC) {
  const Shape shape{2, 3, 4};
  std::vector<int16_t> from(24), to(24);
  std::iota(from.begin(), from.end(), 0);
  copy_block(shape, 2, reinterpret_cast<std::byte*>(to.data()), dense_strides(shape, 2, false),
             reinterpret_cast<const std::byte*>(from.data()), dense_strides(shape, 2, true));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) EXPECT_EQ(to[static_cast<size_t>(i * 12 + j * 4 + k)], i + j * 2 + k * 6);
}

TEST(Npy, PartsOfABlockAreCopiedWhateverAxesHaveOneElement) {
  const Shape whole{3, 1, 4, 5, 1};
  std::vector<int16_t> from(60);
  std::iota(from.begin(), from.end(), 0);
  const Strides strides = dense_strides(whole, 2, false);
  const auto copied = [&](const Shape& part) {
    std::vector<int16_t> to(static_cast<size_t>(part.volume()));
    copy_block(part, 2, reinterpret_cast<std::byte*>(to.data()), dense_strides(part, 2, false),
               reinterpret_cast<const std::byte*>(from.data()), strides);
    return to;
  };
  EXPECT_EQ(copied(whole), from);
  EXPECT_EQ(copied({2, 1, 2, 3, 1}), (std::vector<int16_t>{0, 1, 2, 5, 6, 7, 20, 21, 22, 25, 26, 27}));
  EXPECT_EQ(copied({2, 1, 4, 1, 1}), (std::vector<int16_t>{0, 5, 10, 15, 20, 25, 30, 35}));
  EXPECT_EQ(copied({1, 1, 1, 1, 1}), (std::vector<int16_t>{0}));
}

}  // namespace
}  // namespace penstock::npy
