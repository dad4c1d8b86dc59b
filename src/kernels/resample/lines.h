// The inner loops of resampling, on whole lines of pixels with interleaved channels. All arithmetic is float, and the
// result of an element does not depend on where in a line or a vector it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <penstock/dtype.h>

#include "kernels/resample/axis.h"

namespace penstock::kernels {

/// Lines that resample_line reads or writes must be followed by this much memory; what it holds does not matter.
inline constexpr size_t kLinePadding = 64;  // floats

/// out[i] = sum over k of weights[k] * lines[k][i], i < n. Lines need no padding.
using CombineLines = void (*)(const std::byte* const* lines, const float* weights, int taps, size_t n, float* out);
/// The function for lines of that type: uint8, int16, uint16 or float.
/// @throws TypeError for other types.
CombineLines combine_lines(DType in);

/// Converts n elements, rounding half away from zero and clamping. Lines need no padding.
using NarrowLine = void (*)(const float* in, size_t n, std::byte* out);
/// The function for results of that type: uint8, int16, uint16 or float.
/// @throws TypeError for other types.
NarrowLine narrow_line(DType out);

/// How resample_line gets the source elements of a vector of results.
enum class Gathering {
  kOnce,     ///< two loads hold those of all taps; the fastest
  kEachTap,  ///< two loads for each tap
  kPixels,   ///< they are too far apart: pixel by pixel
};

/// Memory in whole vectors: an unaligned load of 64 bytes costs two.
template <class T>
class AlignedArray {
 public:
  void resize(size_t n) { blocks_.resize((n * sizeof(T) + sizeof(Block) - 1) / sizeof(Block)); }
  T* data() { return reinterpret_cast<T*>(blocks_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(blocks_.data()); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  std::vector<Block> blocks_;
};

/// An axis made ready for the vectors of this processor: which of the elements near a vector's source go to which lane.
struct LineTable {
  int64_t channels = 1;
  Gathering gathering = Gathering::kPixels;
  std::vector<int32_t> base;    ///< per output vector: its first source element, from the first pixel that is touched
  AlignedArray<int32_t> lanes;  ///< per output element: source element, from the vector's base
  AlignedArray<float> weights;  ///< [output vector][tap][lane]

  /// Memory is kept from call to call.
  void assign(const Axis& axis, int64_t channels);

 private:
  Gathering rebase(size_t width, int64_t taps);
};

/// Resamples one line along its pixels; `table` was made of `axis`. `in` begins with pixel axis.begin; `out` gets
/// axis.size() pixels.
void resample_line(const Axis& axis, const LineTable& table, const float* in, float* out);

}  // namespace penstock::kernels
