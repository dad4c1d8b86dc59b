// Runs an operator's program for GPUs on the CPU, element by element: the same body without the hardware.
#pragma once

#include <numeric>

#include "device/fake_backend.h"
#include "kernels/elements/machine.h"
#include "ops/elements/element_form.h"
#include "ops/run_op.h"

namespace penstock::test {

struct HostHalves {
  static float to_float(uint16_t bits) { return static_cast<float>(std::bit_cast<float16>(bits)); }
  static uint16_t to_bits(float value) { return float16(value).bits; }
};

/// Every element of the job's result.
template <class Machine>
void evaluate_by(const kernels::ElementJob& job) {
  const int64_t chunks = (job.lane_extent + job.lanes - 1) / job.lanes;
  int64_t total = chunks;
  for (int axis = 0; axis < job.ndim; ++axis) total *= Machine::begins(job, axis);
  for (int64_t i = 0; i < total; ++i) {
    int64_t left = i / chunks;
    const auto lane = static_cast<int32_t>(i % chunks) * job.lanes;
    int32_t index[Machine::kAxes] = {};
    for (int axis = job.ndim - 1; axis >= 0; --axis) {
      index[axis] = static_cast<int32_t>(left % Machine::begins(job, axis));
      left /= Machine::begins(job, axis);
    }
    Machine(job, index, lane, std::min(job.lanes, job.lane_extent - lane)).run(job.program);
  }
}

inline void evaluate(const kernels::ElementJob& job) {
  using kernels::ElementMachine, kernels::Machine;
  if (job.machine == ElementMachine::kPixels)
    evaluate_by<Machine<HostHalves, ElementMachine::kPixels>>(job);
  else if (job.machine == ElementMachine::kNarrow)
    evaluate_by<Machine<HostHalves, ElementMachine::kNarrow>>(job);
  else
    evaluate_by<Machine<HostHalves, ElementMachine::kWide>>(job);
}

/// Output 0 as the operator's program makes it. `refused` says whether the program refused the sample.
inline HostTensor run_program(const OpSchema& schema, std::map<std::string, ArgValue> args,
                              std::vector<HostTensor> inputs, bool* refused = nullptr, SampleId id = {},
                              uint64_t seed = 1) {
  OpSpec spec{.args = std::move(args), .arg_inputs = {}, .seed = seed};
  spec.num_inputs = static_cast<int>(inputs.size());
  const std::unique_ptr<Operator> op = schema.make(spec);
  Arena arena;
  SampleRunner runner(dynamic_cast<const SampleOperatorBase&>(*op), seed);
  runner.set_arena(&arena);
  std::deque<Value> values;
  for (HostTensor& t : inputs)
    runner.add_input(&values.emplace_back(Value{{t.desc, t.bytes.data()}, whole(t.desc), {}}));
  Value& out = values.emplace_back();
  runner.add_output(&out);
  runner.infer(id);
  runner.set_wanted(0, whole(out.tensor));
  runner.need();
  out.held = runner.wanted(0);

  device::Device device(0, std::make_shared<device::test::FakeBackend>());
  device::StagingMemory memory(device, nullptr);
  device::Staging staging(memory);
  ElementWork work;
  dynamic_cast<const ElementForm&>(*op).compile(runner.sample(), staging, work, {});
  std::vector<int> numbers(inputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  kernels::ElementJob job;
  work.write(staging, numbers, job);
  memory.upload();
  HostTensor result(cut(out.tensor, out.held));
  std::vector<const std::byte*> in;
  for (const HostTensor& t : inputs) in.push_back(t.bytes.data());
  int32_t flag = 0;
  std::vector<std::byte> room(static_cast<size_t>(job.room_bytes));
  connect_elements(job, {.in = in, .out = result.bytes.data(), .scratch = room.data(), .refused = &flag});
  for (int32_t thread = 0; thread < 3; ++thread) kernels::make_taps(job, thread, 3);
  evaluate(job);
  if (refused) *refused = flag != 0;
  return result;
}

}  // namespace penstock::test
