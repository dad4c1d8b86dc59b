// Manifests of speech from strangers.
#include <cstddef>
#include <cstdint>
#include <string>

#include <penstock/error.h>

#include "readers/nemo_asr/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    penstock::nemo::parse_manifest(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const penstock::DataError&) {
  }
  return 0;
}
