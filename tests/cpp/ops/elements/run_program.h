// Runs an operator's program for GPUs on the CPU, element by element: the same body without the hardware.
#pragma once

#include <algorithm>
#include <numeric>

#include "device/fake_backend.h"
#include "kernels/elements/byte_map.h"
#include "kernels/elements/line.h"
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

/// Every element of the job's result, some neighbours at a time.
inline void evaluate_by_line(const kernels::ElementJob& job) {
  const int32_t total = (job.ndim ? job.extents[0] : 1) * job.lane_extent;
  for (int32_t first = 0; first < total; first += kernels::kLineLanes)
    kernels::LineMachine<HostHalves>(
        job, {first, first / job.lane_extent, first % job.lane_extent, std::min(total - first, kernels::kLineLanes)})
        .run(job.program);
}

/// Likewise, by a table.
inline void evaluate_by_table(const kernels::ElementJob& job) {
  std::vector<std::byte> bytes(kernels::kByteValues), room(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  kernels::ElementJob with_room = job, table;
  with_room.room = room.data();
  kernels::describe_table(with_room, bytes.data(), table);
  evaluate_by<kernels::Machine<HostHalves, kernels::ElementMachine::kWide>>(table);
  const int32_t total = (job.ndim ? job.extents[0] : 1) * job.lane_extent;
  for (int32_t i = 0; i < total; ++i)
    job.out[job.result.offset + i] = room[std::to_integer<size_t>(job.operand[0].data[job.operand[0].offset + i])];
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

/// An operator's program for one sample, of which all is wanted or a part. Inputs hold all.
class Programmed {
 public:
  Programmed(const OpSchema& schema, Args args, std::vector<Value> inputs, SampleId id = {}, uint64_t seed = 1,
             const Region* wanted = nullptr)
      : spec_(spec_of(std::move(args), inputs.size(), seed)),
        op_(schema.make(spec_)),
        runner_(*op_->traits().sample, seed),
        id_(id),
        inputs_(std::move(inputs)) {
    runner_.set_arena(&arena_);
    for (Value& value : inputs_) runner_.add_input(&value);
    runner_.add_output(&out_);
    runner_.infer(id_);
    runner_.wanted(0) = wanted ? *wanted : whole(out_.tensor);
    runner_.need();
    out_.held = runner_.wanted(0);
  }

  const Value& out() const { return out_; }
  ElementWork work(device::Staging& staging) {
    ElementWork made;
    dynamic_cast<const ElementForm&>(*op_).compile(runner_.sample(), staging, made, {});
    return made;
  }

 private:
  static OpSpec spec_of(Args args, size_t inputs, uint64_t seed) {
    OpSpec spec{.args = std::move(args), .arg_inputs = {}, .seed = seed};
    spec.num_inputs = static_cast<int>(inputs);
    return spec;
  }

  OpSpec spec_;  // operators look at its lists
  std::unique_ptr<Operator> op_;
  Arena arena_;
  SampleRunner runner_;
  SampleId id_;
  std::vector<Value> inputs_;
  Value out_;
};

inline std::vector<Value> values_of(std::vector<HostTensor>& tensors) {
  std::vector<Value> values;
  for (HostTensor& t : tensors) values.push_back({{t.desc, t.bytes.data()}, whole(t.desc), {}});
  return values;
}

/// A job's result as `evaluate` makes it. `refused` says whether the program refused the sample.
template <class Evaluate>
HostTensor result_of(kernels::ElementJob job, const TensorDesc& made, std::span<const HostTensor> inputs,
                     Evaluate&& evaluate, bool* refused = nullptr) {
  HostTensor result(made);
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

/// Output 0 as the operator's program makes it.
inline HostTensor run_program(const OpSchema& schema, Args args, std::vector<HostTensor> inputs,
                              bool* refused = nullptr, SampleId id = {}, uint64_t seed = 1,
                              const Region* wanted = nullptr) {
  Programmed op(schema, std::move(args), values_of(inputs), id, seed, wanted);
  device::Device device(0, std::make_shared<device::test::FakeBackend>());
  device::StagingMemory memory(device, nullptr);
  device::Staging staging(memory);
  std::vector<int> numbers(inputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  kernels::ElementJob job;
  op.work(staging).write(staging, numbers, job);
  memory.upload();
  const TensorDesc made = cut(op.out().tensor, op.out().held);
  const HostTensor result = result_of(job, made, inputs, evaluate, refused);
  if (job.line) {
    const HostTensor alike = result_of(job, made, inputs, evaluate_by_line);
    EXPECT_TRUE(result.bytes == alike.bytes);
  }
  if (job.bytes) {
    const HostTensor alike = result_of(job, made, inputs, evaluate_by_table);
    EXPECT_TRUE(result.bytes == alike.bytes);
  }
  return result;
}

}  // namespace penstock::test
