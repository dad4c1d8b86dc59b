#include "ops/decoders/example_tables.h"

#include <memory>

namespace penstock {

ExampleTables::ExampleTables(device::Device& device) {
  const std::unique_ptr<const codec::jpeg::CodeTables> tables = codec::jpeg::make_example_tables();
  const std::shared_ptr<void> stream = device.borrow_stream();
  device::Backend& backend = device.backend();
  memory_ = device.memory().allocate(sizeof *tables, stream.get());
  backend.copy(stream.get(), memory_.data, tables.get(), sizeof *tables);
  const device::Event done = backend.make_event(stream.get());
  backend.record(done, stream.get());
  backend.synchronize(done);
  backend.destroy_event(done);
}

}  // namespace penstock
