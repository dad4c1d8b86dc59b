// RecordIO's parts and indices, and NumPy's headers, from strangers.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <penstock/error.h>

#include "codec/npy.h"
#include "readers/mxnet/recordio.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto attempt = [](auto&& action) {
    try {
      action();
    } catch (const penstock::DataError&) {
    }
  };
  attempt([&] {
    std::vector<char> memory;
    penstock::parse_image_record(penstock::join_parts(text, [&](size_t n) {
      memory.resize(n);
      return memory.data();
    }));
  });
  attempt([&] { penstock::parse_image_record(text); });
  attempt([&] { penstock::parse_recordio_index(text, 1000); });
  attempt([&] {
    namespace npy = penstock::npy;
    const npy::Header header = npy::parse_header(text, size);
    const size_t each = penstock::size_of(header.dtype);
    std::vector<std::byte> out(static_cast<size_t>(header.shape.volume()) * each);
    npy::copy_block(header.shape, each, out.data(), npy::dense_strides(header.shape, each, false),
                    reinterpret_cast<const std::byte*>(data) + header.data,
                    npy::dense_strides(header.shape, each, header.fortran));
  });
  return 0;
}
