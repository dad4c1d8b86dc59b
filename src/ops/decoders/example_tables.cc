#include "ops/decoders/example_tables.h"

#include <memory>

namespace penstock {

ExampleTables::ExampleTables(device::Device& device) {
  const std::unique_ptr<const codec::jpeg::CodeTables> tables = codec::jpeg::make_example_tables();
  const std::shared_ptr<void> stream = device.borrow_stream();
  memory_ = device.memory().allocate(sizeof *tables, stream.get());
  device.runtime().copy(stream.get(), memory_.data, tables.get(), sizeof *tables);
  device.finish(stream.get());
}

}  // namespace penstock
