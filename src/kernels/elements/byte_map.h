// Programs that make a byte of a byte, the same for all elements: a table of 256 says all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elements/job.h"
#include "kernels/elements/line.h"
#include "kernels/elements/values.h"

namespace penstock::kernels {

inline constexpr int32_t kByteValues = 256;

constexpr bool suits_byte_map(const Instruction& in) {
  const bool divides = (in.code == Code::kDiv || in.code == Code::kMod) && is_whole(in.type);
  switch (in.step) {
    case Step::kConvert:
    case Step::kWrap:
    case Step::kSelect:
    case Step::kTruncate:
    case Step::kLookup:
      return true;
    case Step::kFunction:
      return in.operand >= kImmediate && !divides;  // a division by zero has to be told, where one happens
    default:
      return false;
  }
}

/// Whether the program is one, on elements that lie as those of its result do.
template <class = void>
constexpr bool suits_byte_map(const ElementJob& job, std::span<const Instruction> program) {
  const ElementOperand& from = job.operand[0];
  bool suits = job.operands == 1 && lies_flat(job) && is_dense(job, from) && width_of(from.dtype) == 1 &&
               width_of(job.dtype) == 1 && program.size() > 1 && program[0].step == Step::kLoad &&
               program[0].operand == 0 && (from.data || job.inputs[0] >= 0);
  for (const Instruction& in : program.subspan(program.empty() ? 0 : 1)) suits = suits && suits_byte_map(in);
  return suits;
}

/// Describes what makes the table in the room of `job`: the program on one element of each value.
/// @param bytes  all that there are, in their order
template <class = void>
constexpr void describe_table(const ElementJob& job, const std::byte* bytes, ElementJob& table) {
  table.out = job.room;
  table.refused = job.refused;
  table.program = job.program;
  table.instructions = job.instructions;
  table.ndim = 0;
  table.lane_extent = kByteValues;
  table.lanes = kLanes;
  table.machine = job.machine;
  table.dtype = job.dtype;
  for (ElementOperand* operand : {&table.result, &table.operand[0]})
    operand->offset = operand->strides[0] = 0, operand->lane_stride = 1;
  table.operand[0].data = bytes;
  table.operand[0].dtype = job.operand[0].dtype;
}

}  // namespace penstock::kernels
