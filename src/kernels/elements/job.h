// The work on one sample that goes element by element, as the host describes it and a kernel reads it: where operands
// lie, and a small program that is evaluated for every element of the result. Programs of several operators that follow
// each other join into one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "device/kernel.h"
#include "kernels/arithmetic/code.h"
#include "kernels/resample/linear_axis.h"

namespace penstock::kernels {

/// A program works on up to this many elements at a time: neighbours along one axis, the channels of a pixel, say.
inline constexpr int kLanes = 4;
inline constexpr int kPixelAxes = 3;  ///< besides that one, at most, in a job for kPixels
inline constexpr int kMaxElementOperands = 14;
inline constexpr int kMaxInstructions = 40;

enum class Step : uint8_t {
  kLoad,      ///< takes the operand as it is
  kConvert,   ///< from `from` to `type`: rounds and saturates
  kWrap,      ///< the same, but integers of one width keep their bits
  kFunction,  ///< `code` in `type`; a second operand is of type `from` and is brought to `other` as by kWrap
  kSelect,    ///< immediate[0] where the value is not 0, else immediate[1]
  kTruncate,  ///< drops the fraction
  kDraw,      ///< the value is the number of a draw from DrawTable
  kNoise,     ///< the operand is the number of an element or pixel, to whose value in `type` NoiseTable adds noise
  kLookup,    ///< the value becomes the float at its place in the LookupTable
  kErase,     ///< the operand is the number of an element, whose value in `type` EraseTable may replace
  kMatrix3,   ///< maps a pixel by the Matrix3 at the immediate
  kColours,   ///< `colours` of a pixel of bytes
  kResample,  ///< takes pixels of the operand as ResampleTable says
};

inline constexpr uint8_t kLinear = 1;  ///< option of kResample: two taps along x and y, one along z
inline constexpr uint8_t kNoOperand = 0xff;
inline constexpr uint8_t kImmediate = 0xfe;  ///< immediate[0], in the machine's form of `from`

struct Instruction {
  Step step = Step::kLoad;
  Code code = Code::kPlus;
  uint8_t operand = kNoOperand;
  bool swapped = false;  ///< the operand is the function's first one
  uint8_t option = 0;    ///< kColours: a ColourStep; kResample: kLinear, or 0
  DType type = DType::kNone, from = DType::kNone, other = DType::kNone;
  uint64_t immediate[2] = {};  ///< values in the machine's form, or the address of a table
};

/// Element `offset + sum of strides times indices` of a dense tensor; without data that number itself.
struct ElementOperand {
  const std::byte* data = nullptr;
  DType dtype = DType::kNone;
  int32_t offset = 0;
  int32_t strides[kMaxDims] = {};
  int32_t lane_stride = 0;
};

/// A common function of floats.
constexpr bool is_plain(const Instruction& in) {
  const bool common =
      in.code == Code::kAdd || in.code == Code::kSub || in.code == Code::kMul || in.code == Code::kDivide;
  return common && in.type == DType::kFloat && in.from == DType::kFloat && in.operand != kNoOperand;
}

/// What runs programs; each runs those of the ones behind it, too.
enum class ElementMachine : uint8_t {
  kWide,    ///< all of them
  kNarrow,  ///< bytes and floats in, also half precision out: registers of 32 bits
  kPixels,  ///< of these those whose pixels have three lanes from the first to the last step, and one axis at least
};

/// Whether what is stored in half precision saturates, so that programs need no step for it. Where infinity may come
/// from an operand it must not.
constexpr bool saturates(ElementMachine machine) { return machine != ElementMachine::kWide; }

struct ElementJob {
  std::byte* out = nullptr;
  int32_t* refused = nullptr;  ///< set to 1 by an integer division by zero
  const Instruction* program = nullptr;
  std::byte* room = nullptr;  ///< for tables that are made where the program runs, see make_taps()
  int32_t room_bytes = 0;     ///< that they take
  int32_t instructions = 0;
  int32_t ndim = 0;  ///< of the walk: axes without the one along which lanes lie
  int32_t extents[kMaxDims] = {};
  int32_t lane_extent = 1;  ///< of that axis
  int32_t lanes = 1;        ///< that the program begins with; fewer at the end of an axis
  ElementMachine machine = ElementMachine::kWide;
  bool known = false;          ///< the program is ResampleNormalise, see known.h
  bool line = false;           ///< LineMachine runs the program, see line.h
  bool bytes = false;          ///< a table in `room` says all, see byte_map.h
  DType dtype = DType::kNone;  ///< of the result
  int32_t operands = 0;
  ElementOperand result;  ///< where the result lies; data is `out`
  ElementOperand operand[kMaxElementOperands];
  /// Places among the inputs of a launch that operands wait for; -1: none.
  int32_t inputs[kMaxElementOperands] = {};
};

/// How a pixel is put together from others.
struct TapAxis {
  const int32_t* first = nullptr;  ///< per result: its first source pixel
  const float* weights = nullptr;  ///< [result][tap]
  int32_t taps = 1;
  int32_t stride = 0;  ///< between neighbours in the source, in elements
  LinearAxis formula;  ///< by which make_taps() has `first` and `weights` made, if it has a size
};

/// The three operands behind the one that is resampled give the indices along z, y and x.
struct ResampleTable {
  TapAxis z, y, x;
};

enum class ColourStep : uint8_t { kLuma, kReverse, kSpread, kToYCbCr, kFromYCbCr, kExpand, kCompress };

/// Whether pixels have another number of lanes behind it.
constexpr bool changes_lanes(const Instruction& in) {
  const auto step = static_cast<ColourStep>(in.option);
  return in.step == Step::kColours && step != ColourStep::kReverse && step != ColourStep::kToYCbCr &&
         step != ColourStep::kFromYCbCr;
}

enum class Noise : int32_t { kGaussian, kShot, kSaltAndPepper };
struct NoiseTable {
  uint64_t seed = 0, epoch = 0, sample = 0;
  Noise kind = Noise::kGaussian;
  double a = 0, b = 0;          ///< mean and deviation; factor
  double salt = 0, pepper = 0;  ///< what words below salt_below, and others below noisy_below, make of elements
  uint64_t salt_below = 0, noisy_below = 0;
};

/// values[i] for the keys from 0 on.
struct LookupTable {
  const float* values = nullptr;
  uint64_t count = 0;
  float fallback = 0;  ///< for all other keys
};

/// Boxes of a tensor whose elements take fill values.
struct EraseTable {
  const int64_t* boxes = nullptr;  ///< [box][begin and end][axis]
  const double* fills = nullptr;   ///< per channel, or one
  int32_t count = 0;
  int32_t ndim = 0;
  int32_t channel_axis = -1;  ///< -1: one fill value
  int64_t extents[kMaxDims] = {};
  uint64_t first = 0, last = 0;  ///< numbers of elements: those before and behind lie in no box
  bool narrow = false;           ///< the tensor's elements are counted in 32 bits
};

enum class Draw : int32_t { kUniform, kPick, kCoin, kNormal };
struct DrawTable {
  uint64_t seed = 0, epoch = 0, sample = 0;
  Draw kind = Draw::kUniform;
  float a = 0, b = 0;             ///< low and high, probability, mean and deviation
  const float* values = nullptr;  ///< kPick
  uint32_t count = 0;
  bool wide = false;  ///< uniform and normal numbers are doubles of 53 bits
};

struct ElementParameters {
  ElementMachine machine = ElementMachine::kWide;  ///< for all jobs: theirs, or one before it
  bool line = false;                               ///< LineMachine runs all jobs
  bool bytes = false;                              ///< all jobs have room for a table that says all
  bool tables = false;                             ///< some jobs have room for tables, which are made first
};
inline constexpr device::Kernel<ElementJob, ElementParameters> kElements{"elements"};

}  // namespace penstock::kernels
