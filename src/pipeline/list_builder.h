// Puts the samples of one output of one batch together, in place: workers write their sample straight into the slab.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <penstock/tensor.h>

#include "core/lazy.h"
#include "pipeline/source_texts.h"

namespace penstock {

class ListBuilder {
 public:
  using Allocate = std::function<Buffer(size_t bytes)>;
  /// @param ragged samples are expected to differ in size: then there is no slab, most of which would lie unused beside
  ///        the blocks of samples that do not fit
  ListBuilder(Allocate allocate, int64_t samples, bool ragged);

  /// Memory for sample `slot`; callable from many threads for different slots. The first caller's size decides the
  /// slab: in a uniform batch everybody fits it, and a batch with an odd size in it is not contiguous anyway.
  std::byte* place(size_t slot, size_t bytes);
  /// Says what lies at the memory of `slot`. Data that lies elsewhere is copied there.
  void set(size_t slot, const TensorView& sample, std::string_view source);
  /// There is nothing at `slot`, and nothing reads it: what another slot holds stands there.
  void skip(size_t slot) { slots_[slot].skipped = true; }
  /// Fills `slot` with zeros of the shape of the first one that is set; skips it where none is.
  void set_zero(size_t slot);
  /// The batch. Slots that were neither set nor skipped are left out; with none set there is nothing.
  TensorList finish();
  /// Whether samples differed in size; what finish() saw.
  bool ragged() const { return ragged_; }

 private:
  TensorList separate(std::span<const int64_t> set, const Buffer& slab) const;
  struct Slot {
    TensorView view;
    Buffer own;  // when it did not fit the slab
    bool set = false, skipped = false;
  };
  Allocate allocate_;
  bool ragged_;
  struct Slab {
    Buffer memory;
    size_t each = 0;  // bytes of a sample
  };
  Lazy<Slab> slab_;
  std::vector<Slot> slots_;
  SourceTexts sources_;
};

}  // namespace penstock
