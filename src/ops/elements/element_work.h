// The program of one operator on one sample, as it is put together on the host, and how programs of operators that
// follow each other become one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/staging.h"
#include "kernels/elements/job.h"
#include "ops/elements/element_view.h"

namespace penstock {

class ElementWork {
 public:
  struct Operand {
    int value = -1;                    ///< the input that it is, -1: none
    const std::byte* table = nullptr;  ///< in the GPU's memory, where it is no input
    DType dtype = DType::kNone;
    Shape shape;  ///< of the memory, which is dense
    ElementView view;
  };

  /// Begins the program of an operator that makes what output 0 of the sample holds.
  void begin(const TensorDesc& made);
  const Shape& shape() const { return made_.shape; }
  DType dtype() const { return made_.dtype; }

  /// Adds an operand and returns its number.
  uint8_t input(int i, const TensorDesc& held, const ElementView& view);
  uint8_t table(const void* on_gpu, DType dtype, const Shape& shape, const ElementView& view);
  /// An operand whose values are the numbers of its elements, were it of that shape.
  uint8_t number(const Shape& shape, const ElementView& view);

  void load(uint8_t operand);
  void load_value(DType dtype, uint64_t value);
  /// As cast does, and with integers of one width keeping their bits.
  void convert(DType to);
  void wrap(DType to);
  /// The value so far becomes function(value, operand).
  void apply(kernels::Code code, DType type);
  void apply(kernels::Code code, DType type, uint8_t operand, DType other, bool swapped = false);
  void apply_value(kernels::Code code, DType type, DType dtype, uint64_t value, DType other, bool swapped = false);
  void apply(kernels::Code code, float value) {
    apply_value(code, DType::kFloat, DType::kFloat, bits(value), DType::kFloat);
  }
  void add(const kernels::Instruction& instruction, DType type) {
    program_.push_back(instruction);
    type_ = type;
  }
  DType type() const { return type_; }
  static uint64_t bits(float value);
  static uint64_t address(const void* table) { return reinterpret_cast<uint64_t>(table); }

  /// Lanes lie along that axis of the result, all of it: the program works on whole pixels, which have `channels`
  /// elements at its beginning.
  void take_pixels(int axis, int64_t channels);
  /// Lanes lie along that axis, or along none (-1): not along axes that programs treat one by one.
  void lay_lanes(int axis);
  /// Lets axes lie elsewhere in memory than densely: where a part of the output is written.
  void place(const Shape& whole, const Shape& start);

  /// Has tables of so many bytes made where the program runs.
  void make_tables(size_t bytes) { room_bytes_ += static_cast<int32_t>(bytes); }

  /// Names inputs by their values in the plan.
  void name_inputs(std::span<const int> values);
  /// Puts the program that makes `value` before this one, which loads it first.
  void follow(const ElementWork& earlier, int value);
  /// True where this can follow `earlier`.
  static bool fits(int operands, int instructions) {
    return operands <= kernels::kMaxElementOperands && instructions <= kernels::kMaxInstructions;
  }

  /// Writes the job down. `values`: the inputs of the launch.
  void write(device::Staging& staging, std::span<const int> values, kernels::ElementJob& job) const;

 private:
  struct Walk;
  Walk walk() const;
  kernels::ElementMachine machine_for(const kernels::ElementJob& job) const;
  std::span<const kernels::Instruction> steps_for(kernels::ElementMachine machine) const;
  bool suits_narrow_machine() const;

  TensorDesc made_;
  Shape whole_, start_;  // of the output, where a part of it is written
  std::vector<Operand> operands_;
  std::vector<kernels::Instruction> program_;
  DType type_ = DType::kNone;
  static constexpr int kLast = -2;
  int lane_axis_ = kLast;   // -1: none
  int64_t channels_ = 0;    // 0: a program is not about whole pixels
  int32_t room_bytes_ = 0;  // for tables
};

/// An element as programs take it.
uint64_t value_at(DType dtype, const std::byte* element);
template <class T>
uint64_t value_of_element(T element) {
  return value_at(dtype_of<T>, reinterpret_cast<const std::byte*>(&element));
}

}  // namespace penstock
