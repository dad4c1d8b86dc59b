#include "readers/lengths.h"

#include <cstring>

#include "codec/npy.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "readers/file/posix_file.h"

namespace penstock {

std::vector<int64_t> read_lengths(const std::string& path, int64_t size) {
  PENSTOCK_CHECK(
      path.ends_with(".npy"), ArgumentError,
      "bucket_by=\"{}\" is nothing that this reader knows of its samples; give a file of NumPy's (.npy) with "
      "a number for each sample, which penstock.measure_lengths writes",
      path);
  const std::string text = PosixFile::open_named(path).text();
  std::vector<int64_t> lengths(static_cast<size_t>(size));
  try {
    const npy::Header header = npy::parse_header(text, text.size());
    PENSTOCK_CHECK(header.shape.ndim() == 1 && header.shape[0] == size, ArgumentError,
                   "bucket_by: {} has the shape {}, the data set has {} samples", path, to_string(header.shape), size);
    dispatch_numeric(header.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (size_t i = 0; i < lengths.size(); ++i) {
        T value;
        std::memcpy(&value, text.data() + header.data + i * sizeof(T), sizeof(T));
        lengths[i] = convert_sat<int64_t>(value);
      }
    });
  } catch (const DataError& e) {
    fail<ArgumentError>("bucket_by: {}: {}", path, e.message());
  }
  return lengths;
}

}  // namespace penstock
