#include "kernels/arithmetic/elementwise.h"

#include <algorithm>

#include "core/check.h"
#include "kernels/convert/convert.h"

namespace penstock::kernels {
namespace {

// Small enough that three operands, their conversions and the result stay in a 32 KB L1 cache, large enough that the
// choice of code per block costs nothing.
constexpr int64_t kBlock = 512;
constexpr size_t kBlockBytes = static_cast<size_t>(kBlock) * sizeof(double);

struct Walk {
  int ndim = 0;
  std::array<int64_t, kMaxDims> extents{};
  std::array<Strides, kMaxOperands> strides{};
};

/// The axes of the result, joined where every operand steps over them as over one.
Walk joined_axes(std::span<const Operand> operands, const Shape& shape) {
  Walk walk;
  for (int d = 0; d < shape.ndim(); ++d) {
    if (shape[d] == 1) continue;
    const auto axis = static_cast<size_t>(d), last = static_cast<size_t>(std::max(walk.ndim - 1, 0));
    bool joins = walk.ndim > 0;
    for (size_t k = 0; k < operands.size(); ++k)
      joins = joins && walk.strides[k][last] == operands[k].strides[axis] * shape[d];
    const size_t at = joins ? last : static_cast<size_t>(walk.ndim++);
    walk.extents[at] = joins ? walk.extents[at] * shape[d] : shape[d];
    for (size_t k = 0; k < operands.size(); ++k) walk.strides[k][at] = operands[k].strides[axis];
  }
  return walk;
}

template <class T>
void gather(const T* src, const Walk& walk, const Strides& strides, int64_t start, int64_t n, T* dst) {
  std::array<int64_t, kMaxDims> index{};
  int64_t offset = 0, rest = start;
  for (int d = walk.ndim - 1; d >= 0; --d) {
    const auto axis = static_cast<size_t>(d);
    index[axis] = rest % walk.extents[axis];
    rest /= walk.extents[axis];
    offset += index[axis] * strides[axis];
  }
  const size_t inner = static_cast<size_t>(std::max(walk.ndim - 1, 0));
  const int64_t length = walk.ndim == 0 ? 1 : walk.extents[inner], step = strides[inner];
  while (n > 0) {
    const int64_t run = std::min(length - index[inner], n);
    for (int64_t i = 0; i < run; ++i) dst[i] = src[offset + i * step];
    dst += run;
    n -= run;
    index[inner] += run;
    offset += run * step;
    for (size_t d = inner; d > 0 && index[d] == walk.extents[d]; --d) {  // carry
      offset += strides[d - 1] - index[d] * strides[d];
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

void gather_bytes(const Operand& from, const Walk& walk, const Strides& strides, int64_t start, int64_t n,
                  std::byte* dst) {
  const auto with = [&]<class T>(T*) {
    gather(reinterpret_cast<const T*>(from.data), walk, strides, start, n, reinterpret_cast<T*>(dst));
  };
  switch (size_of(from.dtype)) {
    case 1:
      return with(static_cast<uint8_t*>(nullptr));
    case 2:
      return with(static_cast<uint16_t*>(nullptr));
    case 4:
      return with(static_cast<uint32_t*>(nullptr));
    default:
      return with(static_cast<uint64_t*>(nullptr));
  }
}

/// Hands out an operand block by block, in the type that the computation wants.
class Source {
 public:
  void set(const Operand& operand, const Strides& strides, const Walk& walk, DType wanted) {
    operand_ = operand;
    strides_ = strides;
    // Integers of one width share their bits, so a wrapping conversion between them is no work.
    const bool same = wanted == operand.dtype || (size_of(wanted) == size_of(operand.dtype) && !is_floating(wanted) &&
                                                  !is_floating(operand.dtype) && operand.dtype != DType::kBool);
    wanted_ = same ? operand.dtype : wanted;
    dense_ = true;
    period_ = 1;
    int64_t inside = 1;
    for (int d = walk.ndim - 1; d >= 0; --d) {
      const auto axis = static_cast<size_t>(d);
      dense_ = dense_ && strides[axis] == inside;
      inside *= walk.extents[axis];
      if (strides[axis] != 0) period_ = inside;
    }
  }
  /// After how many elements of the result the operand repeats.
  int64_t period() const { return period_; }

  const std::byte* block(const Walk& walk, int64_t start, int64_t n, int64_t full) {
    if (filled_ && full % period_ == 0) return converted_;
    filled_ = true;
    const std::byte* raw = operand_.data + start * static_cast<int64_t>(size_of(operand_.dtype));
    if (!dense_) {
      std::byte* gathered = wanted_ == operand_.dtype ? converted_ : gathered_;
      gather_bytes(operand_, walk, strides_, start, n, gathered);
      raw = gathered;
    }
    if (wanted_ == operand_.dtype) return raw;
    convert(operand_.dtype, raw, wanted_, converted_, n);
    return converted_;
  }

 private:
  Operand operand_;
  Strides strides_{};
  DType wanted_ = DType::kNone;
  int64_t period_ = 1;
  bool dense_ = false, filled_ = false;
  alignas(64) std::byte gathered_[kBlockBytes];
  alignas(64) std::byte converted_[kBlockBytes];
};

}  // namespace

void elementwise(const Computation& computation, std::span<const Operand> operands, const Shape& shape,
                 std::byte* out) {
  const int64_t n = shape.volume();
  if (n == 0) return;
  const Walk walk = joined_axes(operands, shape);
  std::array<Source, kMaxOperands> sources;
  // Blocks are a multiple of the longest period that fits: then an operand that repeats (a constant, a mean per
  // channel) is spread out and converted once. Periods are volumes of trailing axes, so each divides the next.
  int64_t block = kBlock;
  for (size_t k = 0; k < operands.size(); ++k) {
    sources[k].set(operands[k], walk.strides[k], walk, computation.loaded[k]);
    if (sources[k].period() <= kBlock) block = std::min(block, kBlock / sources[k].period() * sources[k].period());
  }
  const auto size = static_cast<int64_t>(size_of(computation.result));
  const bool narrows = computation.made != computation.result;
  alignas(64) std::byte wide[kBlockBytes];
  std::array<const std::byte*, kMaxOperands> blocks{};
  for (int64_t start = 0; start < n; start += block) {
    const int64_t count = std::min(block, n - start);
    for (size_t k = 0; k < operands.size(); ++k) blocks[k] = sources[k].block(walk, start, count, block);
    std::byte* to = out + start * size;
    computation.code(blocks, narrows ? wide : to, count);
    if (narrows) convert(computation.made, wide, computation.result, to, count);
  }
}

}  // namespace penstock::kernels
