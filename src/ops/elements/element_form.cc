#include "ops/elements/element_form.h"

#include <algorithm>
#include <vector>

namespace penstock {

void ElementForm::describe(Sample& s, device::Staging& staging, std::byte* job, bool refused) const {
  ElementWork work;
  compile(s, staging, work, {.lead = 0, .refused = refused});
  std::vector<int> inputs;
  for (int i = 0; i < s.num_inputs(); ++i)
    if (reads(i)) inputs.push_back(i);
  work.write(staging, inputs, *new (job) kernels::ElementJob);
}

void connect_elements(kernels::ElementJob& job, const device::Form::Places& places) {
  for (int k = 0; k < job.operands; ++k)
    if (job.inputs[k] >= 0) job.operand[k].data = places.in[static_cast<size_t>(job.inputs[k])];
  job.out = places.out;
  job.refused = places.refused;
}

void ElementForm::connect(std::byte* job, const Places& places) const {
  connect_elements(*reinterpret_cast<kernels::ElementJob*>(job), places);
}

void ElementForm::launch_elements(const device::Launch& l, size_t stride) {
  auto machine = kernels::ElementMachine::kPixels;
  for (int i = 0; i < l.count; ++i)
    machine = std::min(
        machine, reinterpret_cast<const kernels::ElementJob*>(l.described + static_cast<size_t>(i) * stride)->machine);
  l.device.backend().elements(l.stream, l.jobs, stride, l.count, static_cast<int64_t>(l.most_elements), machine);
}

}  // namespace penstock
