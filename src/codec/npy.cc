#include "codec/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/check.h"

namespace penstock::npy {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = size_t{64} << 10;

/// Takes the text of a Python dict apart, as NumPy writes it.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    PENSTOCK_CHECK(take(token), DataError, "the header of the NumPy file is damaged: expected {} at \"{}\"", token,
                   text_.substr(0, 20));
  }
  std::string_view text() {
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_[0];
    const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : std::string_view::npos;
    PENSTOCK_CHECK(end != std::string_view::npos, DataError,
                   "the header of the NumPy file is damaged, or its elements are records, which have no type here: {}",
                   text_.substr(0, 40));
    const std::string_view found = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return found;
  }
  bool boolean() {
    if (take("True")) return true;
    need("False");
    return false;
  }
  Shape shape() {
    need("(");
    Shape shape;
    while (!take(")")) {
      skip_blanks();
      int64_t extent = -1;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      PENSTOCK_CHECK(error == std::errc() && extent >= 0, DataError,
                     "the header of the NumPy file is damaged: no shape at \"{}\"", text_.substr(0, 20));
      PENSTOCK_CHECK(shape.ndim() < kMaxDims, DataError, "the array has more than {} dimensions", kMaxDims);
      shape.push_back(extent);
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      take("L");  // of Python 2
      if (!take(",")) {
        need(")");
        break;
      }
    }
    return shape;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t"), text_.size())); }
  std::string_view text_;
};

DType dtype_from(std::string_view descr) {
  struct Name {
    std::string_view text;
    DType dtype;
  };
  static constexpr Name kNames[] = {
      {"b1", DType::kBool},   {"i1", DType::kInt8},    {"i2", DType::kInt16},  {"i4", DType::kInt32},
      {"i8", DType::kInt64},  {"u1", DType::kUInt8},   {"u2", DType::kUInt16}, {"u4", DType::kUInt32},
      {"u8", DType::kUInt64}, {"f2", DType::kFloat16}, {"f4", DType::kFloat},  {"f8", DType::kFloat64},
  };
  const bool big = descr.starts_with('>');
  if (!descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) descr.remove_prefix(1);
  const auto* found = std::ranges::find(kNames, descr, &Name::text);
  PENSTOCK_CHECK(found != std::end(kNames), DataError,
                 "Unknown Numpy type string: {}; bool, integers and floats of 2, 4 and 8 bytes can be read", descr);
  PENSTOCK_CHECK(!big || size_of(found->dtype) == 1, DataError,
                 "Big Endian files are not supported; save array.astype(array.dtype.newbyteorder(\"<\"))");
  return found->dtype;
}

template <class T>
void copy_row(int64_t n, std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
  if (to_stride == sizeof(T) && from_stride == sizeof(T)) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

using CopyRow = void (*)(int64_t, std::byte*, int64_t, const std::byte*, int64_t);

void copy_axes(const Shape& shape, int axis, CopyRow row, std::byte* to, const Strides& to_strides,
               const std::byte* from, const Strides& from_strides) {
  const auto a = static_cast<size_t>(axis);
  if (axis == shape.ndim() - 1) return row(shape[axis], to, to_strides[a], from, from_strides[a]);
  for (int64_t i = 0; i < shape[axis]; ++i)
    copy_axes(shape, axis + 1, row, to + i * to_strides[a], to_strides, from + i * from_strides[a], from_strides);
}

}  // namespace

size_t header_size(std::string_view prefix) {
  PENSTOCK_CHECK(prefix.size() >= kPrefix && prefix.starts_with(kMagic), DataError,
                 "no NumPy file (.npy): it does not begin as one");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(prefix[i])); };
  PENSTOCK_CHECK(byte(6) >= 1 && byte(6) <= 3, DataError, "NumPy file of version {}; 1 to 3 can be read", byte(6));
  const size_t two = byte(8) | byte(9) << 8;
  const size_t size = byte(6) == 1 ? 10 + two : 12 + (two | byte(10) << 16 | byte(11) << 24);
  PENSTOCK_CHECK(size <= kMaxHeader, DataError, "the header of the NumPy file has {} bytes: it is damaged", size);
  return size;
}

Header parse_header(std::string_view header, uint64_t size) {
  const size_t end = header_size(header);
  PENSTOCK_CHECK(end <= header.size() && end <= size, DataError, "the NumPy file was cut off in its header");
  const size_t begin = header[6] == 1 ? 10 : 12;
  Literal literal(header.substr(begin, std::max(end, begin) - begin));
  Header parsed{.data = end};
  std::optional<Shape> shape;
  std::optional<bool> fortran;
  literal.need("{");
  while (!literal.take("}")) {
    const std::string_view key = literal.text();
    literal.need(":");
    if (key == "descr")
      parsed.dtype = dtype_from(literal.text());
    else if (key == "fortran_order")
      fortran = literal.boolean();
    else if (key == "shape")
      shape = literal.shape();
    else
      fail<DataError>("the header of the NumPy file is damaged: it has the key \"{}\"", key.substr(0, 20));
    if (!literal.take(",")) {
      literal.need("}");
      break;
    }
  }
  PENSTOCK_CHECK(parsed.dtype != DType::kNone && shape && fortran, DataError,
                 "the header of the NumPy file lacks type, order or shape");
  parsed.shape = *shape;
  parsed.fortran = *fortran;
  uint64_t bytes = size_of(parsed.dtype);
  bool fits = true, none = false;  // the extents beside a 0 must fit, too: strides are made of them
  for (const int64_t extent : parsed.shape) {
    none |= extent == 0;
    fits &= !__builtin_mul_overflow(bytes, static_cast<uint64_t>(std::max<int64_t>(extent, 1)), &bytes);
  }
  PENSTOCK_CHECK(
      fits && bytes <= INT64_MAX && (none || bytes <= size - end), DataError,
      "the NumPy file was cut off, or its header lies: an array of shape {} needs more than the {} bytes that "
      "follow",
      to_string(parsed.shape), size - end);
  return parsed;
}

Strides dense_strides(const Shape& shape, size_t size, bool fortran) {
  Strides strides{};
  auto stride = static_cast<int64_t>(size);
  for (int i = 0; i < shape.ndim(); ++i) {
    const int axis = fortran ? i : shape.ndim() - 1 - i;
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

void copy_block(const Shape& shape, size_t size, std::byte* to, const Strides& to_strides, const std::byte* from,
                const Strides& from_strides) {
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent == 0; })) return;
  Shape rows;  // without axes of extent 1, and neighbours that step as one joined: rows are long
  Strides to_rows{}, from_rows{};
  for (int i = 0; i < shape.ndim(); ++i) {
    const int64_t to_step = to_strides[static_cast<size_t>(i)], from_step = from_strides[static_cast<size_t>(i)];
    if (shape[i] == 1) continue;
    const auto last = static_cast<size_t>(std::max(rows.ndim() - 1, 0));
    if (rows.ndim() > 0 && to_rows[last] == to_step * shape[i] && from_rows[last] == from_step * shape[i]) {
      rows[static_cast<int>(last)] *= shape[i];
    } else {
      rows.push_back(shape[i]);
    }
    to_rows[static_cast<size_t>(rows.ndim() - 1)] = to_step,
                                              from_rows[static_cast<size_t>(rows.ndim() - 1)] = from_step;
  }
  if (rows.ndim() == 0) {
    std::memcpy(to, from, size);
    return;
  }
  const CopyRow row = size == 1   ? copy_row<uint8_t>
                      : size == 2 ? copy_row<uint16_t>
                      : size == 4 ? copy_row<uint32_t>
                                  : copy_row<uint64_t>;
  copy_axes(rows, 0, row, to, to_rows, from, from_rows);
}

}  // namespace penstock::npy
