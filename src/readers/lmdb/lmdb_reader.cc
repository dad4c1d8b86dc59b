#include "readers/lmdb/lmdb_reader.h"

#include "core/check.h"

namespace penstock {

void share_pixels(Value& out, std::string_view bytes, const Shape& shape) {
  int64_t expected = 1;
  bool possible = true;
  for (const int64_t extent : shape) possible &= extent > 0 && !__builtin_mul_overflow(expected, extent, &expected);
  PENSTOCK_CHECK(possible, DataError, "impossible image shape {}", to_string(shape));
  PENSTOCK_CHECK(static_cast<uint64_t>(expected) == bytes.size(), DataError,
                 "Image data size mismatch: {} (expected: {})", bytes.size(), expected);
  share_bytes(out, bytes, shape, {});
}

}  // namespace penstock
