// Caffe2 and Caffe records from strangers.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <penstock/error.h>

#include "readers/caffe/datum.h"
#include "readers/caffe2/tensor_protos.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::vector<penstock::TensorProto> protos;  // reused, as a reader does
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  try {
    penstock::parse_tensor_protos(record, protos);
    const std::string again = penstock::serialise(protos);
    std::vector<penstock::TensorProto> same;
    penstock::parse_tensor_protos(again, same);
    if (same.size() != protos.size()) __builtin_trap();
  } catch (const penstock::DataError&) {
  }
  try {
    penstock::parse_datum(record);
  } catch (const penstock::DataError&) {
  }
  return 0;
}
