// NumPy's files of one array (.npy, versions 1 to 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <penstock/dtype.h>
#include <penstock/shape.h>

namespace penstock::npy {

struct Header {
  DType dtype = DType::kNone;
  Shape shape;
  bool fortran = false;  ///< the first axis changes quickest in the file
  size_t data = 0;       ///< where the elements begin, in bytes
};

/// Bytes that tell header_size().
constexpr size_t kPrefix = 12;
/// Of the header, all in front of the elements; at most 64 KB. @throws DataError for what is no such file
size_t header_size(std::string_view prefix);
/// @param size of the whole file, in which the elements must be. @throws DataError
Header parse_header(std::string_view header, uint64_t size);

using Strides = std::array<int64_t, kMaxDims>;
/// Of a dense array of elements of `size` bytes, in bytes; with `fortran` the first axis changes quickest.
Strides dense_strides(const Shape& shape, size_t size, bool fortran);
/// Copies elements of `size` bytes (1, 2, 4 or 8) from one layout to the other.
void copy_block(const Shape& shape, size_t size, std::byte* to, const Strides& to_strides, const std::byte* from,
                const Strides& from_strides);

}  // namespace penstock::npy
