#include "ops/elements/element_form.h"

#include <algorithm>
#include <vector>

#include "kernels/elements/byte_map.h"

namespace penstock {

void ElementForm::describe(Sample& s, device::Staging& staging, std::byte* job, bool refused) const {
  ElementWork work;
  compile(s, staging, work, {.lead = 0, .refused = refused});
  std::vector<int> inputs;
  for (int i = 0; i < s.num_inputs(); ++i)
    if (reads(i)) inputs.push_back(i);
  work.write(staging, inputs, *new (job) kernels::ElementJob);
}

void suit(kernels::ElementParameters& parameters, const kernels::ElementJob& job) {
  parameters.machine = std::min(parameters.machine, job.machine);
  parameters.line = parameters.line && job.line;
  parameters.bytes = parameters.bytes && job.bytes;
  parameters.tables = parameters.tables || job.room_bytes > 0;
}

void connect_elements(kernels::ElementJob& job, const device::GpuForm::Places& places) {
  for (int k = 0; k < job.operands; ++k)
    if (job.inputs[k] >= 0) job.operand[k].data = places.in[static_cast<size_t>(job.inputs[k])];
  job.out = places.out;
  job.room = places.scratch;
  job.refused = places.refused;
}

size_t ElementForm::scratch_size(const std::byte* job) const {
  const auto& described = *reinterpret_cast<const kernels::ElementJob*>(job);
  return static_cast<size_t>(described.bytes ? kernels::kByteValues : described.room_bytes);
}

void ElementForm::connect(std::byte* job, const Places& places) const {
  connect_elements(*reinterpret_cast<kernels::ElementJob*>(job), places);
}

void ElementForm::launch(const device::Launch& l) const {
  kernels::ElementParameters parameters{.machine = kernels::ElementMachine::kPixels, .line = true, .bytes = true};
  const std::span described(reinterpret_cast<const kernels::ElementJob*>(l.described), static_cast<size_t>(l.count));
  for (const kernels::ElementJob& job : described) suit(parameters, job);
  l.start(kernels::kElements, parameters);
}

}  // namespace penstock
