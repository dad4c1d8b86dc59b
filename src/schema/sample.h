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
#include "schema/region.h"

namespace penstock::device {
class Pinnable;
}

namespace penstock {

/// A tensor while it travels. `tensor` describes the whole; `data` holds the elements of `held`, densely.
/// Operators that never ask for less than the whole always see whole inputs.
/// An operator that brings its own memory (a mapped file, a constant) keeps it as long as it lives: no share of it goes
/// with the value, since counting shares from all threads cost small samples more than reading them.
struct Value {
  /// Sets type, shape and layout; memory stays what it was.
  void describe(const TensorDesc& desc) { static_cast<TensorDesc&>(tensor) = desc; }
  /// As if no operator had made it.
  void clear() {
    describe({});
    tensor.data = nullptr;
    held.clear();
    source = {};
    lies_in = nullptr;
  }
  /// Rows and columns of what is held.
  PlaneRegion plane() const { return plane_of(held, tensor.layout); }

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
