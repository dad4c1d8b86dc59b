// One sample on its way through one operator: what the operator sees and what it fills in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <penstock/tensor.h>

#include "core/arena.h"
#include "core/random.h"
#include "order/order.h"

namespace penstock::device {
class Pinnable;
}

namespace penstock {

/// Rows [y0, y1) and columns [x0, x1) of an image, in pixels of the H and W axes of its layout.
struct Region {
  int64_t y0 = 0, x0 = 0, y1 = 0, x1 = 0;
  int64_t height() const { return y1 - y0; }
  int64_t width() const { return x1 - x0; }
  bool empty() const { return y1 <= y0 || x1 <= x0; }
  /// The smallest region that holds both; an empty one adds nothing.
  Region united(const Region& other) const;
  friend bool operator==(const Region&, const Region&) = default;
};

/// H and W extents of a tensor as a region; {0,0,1,1} when the layout has no H or W.
Region whole(const TensorDesc& desc);
/// The descriptor of just that region: same type and layout, H and W cut down.
TensorDesc cut(const TensorDesc& desc, const Region& region);

/// A tensor while it travels. `tensor` describes the whole; `data` holds the rows and columns of `held`, densely.
/// Operators that never ask for less than the whole always see whole inputs.
/// An operator that brings its own memory (a mapped file, a constant) keeps it as long as it lives: no share of it goes
/// with the value, since counting shares from all threads cost small samples more than reading them.
struct Value {
  /// Sets type, shape and layout; memory stays what it was.
  void describe(const TensorDesc& desc) { static_cast<TensorDesc&>(tensor) = desc; }

  TensorView tensor;
  Region held;
  std::string_view source;              ///< file or key; empty when unknown
  device::Pinnable* lies_in = nullptr;  ///< memory that a GPU may copy from, and in which the data may be
};

/// Which sample of which batch this is. The random numbers of a sample depend on (epoch, sample) alone.
struct SampleId {
  int64_t iteration = 0;  ///< batch number since the pipeline began
  int32_t slot = 0;       ///< position in the batch
  uint64_t epoch = 0;
  uint64_t sample = 0;                 ///< index in the data set, or a running number without a reader
  std::span<const order::Pick> picks;  ///< one per reader of the pipeline
};

/// What an operator keeps per worker between samples: buffers, decoder handles. Never shared between threads.
struct Local {
  virtual ~Local() = default;
};

class Sample {
 public:
  const SampleId& id() const { return *id_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Value& in(int i) const { return *inputs_[static_cast<size_t>(i)]; }
  Value& out(int i) { return *outputs_[static_cast<size_t>(i)]; }
  /// The i-th argument that is given per sample (see OpSpec::arg_inputs).
  const Value& arg_in(int i) const { return *arg_inputs_[static_cast<size_t>(i)]; }
  int num_arg_inputs() const { return static_cast<int>(arg_inputs_.size()); }

  /// In `need` and `run`: the part of output i that later operators read. Always inside the whole.
  const Region& wanted(int i) const { return wanted_[static_cast<size_t>(i)]; }
  /// In `need`: the part of input i that this operator will read to make what is wanted. Default: the whole.
  void need(int i, const Region& region) { needed_[static_cast<size_t>(i)] = region; }

  /// Uninitialised memory, 64-byte aligned, that lives until this sample is done.
  std::byte* scratch(size_t bytes) { return arena_->take(bytes); }
  template <class T>
  T* scratch_array(size_t n) {
    return reinterpret_cast<T*>(scratch(n * sizeof(T)));
  }
  /// The random numbers of this sample at this operator; the same sequence each time it is asked for.
  Random random() const { return Random(seed_, id_->epoch, id_->sample); }
  Local* local() const { return local_; }

 private:
  friend class SampleRunner;  // the executor's side: fills all of these
  const SampleId* id_ = nullptr;
  std::vector<Value*> inputs_, arg_inputs_, outputs_;
  std::vector<Region> wanted_, needed_;
  Arena* arena_ = nullptr;
  Local* local_ = nullptr;
  uint64_t seed_ = 0;
};

}  // namespace penstock
