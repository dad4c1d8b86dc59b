// Tables of the codes that most JPEG files have, in a GPU's memory: making them for each file took up to a tenth of the
// entropy decoding of one.
#pragma once

#include <penstock/tensor.h>

#include "codec/jpeg/code_tables.h"
#include "device/device.h"

namespace penstock {

class ExampleTables {
 public:
  /// Returns when they are there.
  explicit ExampleTables(device::Device& device);
  const codec::jpeg::CodeTables* on_gpu() const {
    return reinterpret_cast<const codec::jpeg::CodeTables*>(memory_.data);
  }

 private:
  Buffer memory_;
};

}  // namespace penstock
