// Columns of tables from strangers, as the Arrow C data interface hands them over once the ends of their offsets were
// compared with the sizes of their buffers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <penstock/error.h>

#include "../cpp/readers/arrow_arrays.h"
#include "readers/table/column.h"

namespace {

using penstock::test::ArrowNode;

/// Takes bytes from the front; zeros behind the end.
struct Input {
  const uint8_t* data;
  size_t size;
  uint8_t byte() {
    if (size == 0) return 0;
    --size;
    return *data++;
  }
  template <class T>
  std::vector<T> numbers(size_t count) {
    std::vector<T> all(count);
    const size_t bytes = std::min(count * sizeof(T), size);
    if (bytes > 0) std::memcpy(all.data(), data, bytes);
    data += bytes, size -= bytes;
    return all;
  }
};

/// Offsets as "validate" lets them through: the first and the last lie within `most`.
template <class T>
std::vector<std::byte> offsets(Input& in, size_t count, size_t offset, int64_t most) {
  std::vector<T> all = in.numbers<T>(count + offset + 1);
  all[offset] = static_cast<T>(std::clamp<int64_t>(all[offset], 0, most));
  all.back() = static_cast<T>(std::clamp<int64_t>(all.back(), all[offset], most));
  return ArrowNode::buffer(all);
}

ArrowNode node(Input& in, int depth) {
  static const char* const kFormats[] = {"b",       "c",    "S",    "i",  "l",   "e",   "g",    "tdD",
                                         "tsu:UTC", "z",    "Z",    "u",  "U",   "w:3", "w:0",  "+l",
                                         "+L",      "+w:2", "+w:0", "+s", "+ud", "n",   "d:9,2"};
  const std::string format = depth > 8 ? "c" : kFormats[in.byte() % std::size(kFormats)];
  const size_t length = in.byte() % 9, offset = in.byte() % 3, all = length + offset;
  ArrowNode made{.format = format, .length = static_cast<int64_t>(length), .offset = static_cast<int64_t>(offset)};
  made.null_count = in.byte() % 4 == 0 ? -1 : 0;
  made.buffers.push_back(ArrowNode::buffer(in.numbers<uint8_t>(made.null_count ? all / 8 + 1 : 0)));
  const bool large = format == "Z" || format == "U" || format == "+L";
  if (format[0] == '+') {
    for (int i = format == "+s" ? 2 : 1; i > 0; --i) made.children.push_back(node(in, depth + 1));
    if (format == "+l" || format == "+L") {
      const int64_t most = made.children[0].length;
      made.buffers.push_back(large ? offsets<int64_t>(in, length, offset, most)
                                   : offsets<int32_t>(in, length, offset, most));
    }
    return made;
  }
  if (format == "z" || format == "u" || large) {
    const size_t bytes = in.byte() % 32;
    const auto most = static_cast<int64_t>(bytes);
    made.buffers.push_back(large ? offsets<int64_t>(in, length, offset, most)
                                 : offsets<int32_t>(in, length, offset, most));
    made.buffers.push_back(ArrowNode::buffer(in.numbers<uint8_t>(bytes)));
  } else {
    made.buffers.push_back(ArrowNode::buffer(in.numbers<uint8_t>(8 * all)));
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in{data, size};
  try {
    const penstock::Column column(penstock::test::arrow_column(node(in, 0)));
    for (int64_t row = 0; row < column.rows(); ++row) {
      try {
        const penstock::Cell cell = column.at(row);
        std::vector<std::byte> out(static_cast<size_t>(cell.desc.shape.volume()) * penstock::size_of(cell.desc.dtype));
        column.has_nulls(cell);
        column.write(cell, 1.5, out.data());
      } catch (const penstock::DataError&) {
      }
    }
  } catch (const penstock::DataError&) {
  }
  return 0;
}
