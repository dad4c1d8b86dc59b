/// @file
/// Tensors and ragged batches: views over shared blocks of memory, always dense and row-major.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/dtype.h>
#include <penstock/layout.h>
#include <penstock/shape.h>

namespace penstock {

/// Type, shape and axis names of one tensor.
struct TensorDesc {
  DType dtype = DType::kNone;  ///< of its elements
  Shape shape;                 ///< in elements
  Layout layout;               ///< a letter for each dimension of `shape`, or empty: not said

  /// Bytes of all elements.
  size_t nbytes() const { return static_cast<size_t>(shape.volume()) * size_of(dtype); }
  /// The same type, shape and layout.
  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

/// A tensor in memory that something else keeps alive.
struct TensorView : TensorDesc {
  std::byte* data = nullptr;  ///< the first element: in host memory, or in that of the GPU that the owner names

  /// The elements as T, dense and row-major. The caller checks that T is the type that `dtype` names.
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// Where a block of memory is: kHostMemory, or the number of a GPU.
inline constexpr int kHostMemory = -1;

/// A block of memory with shared ownership: it goes back where it came from when the last owner lets go.
struct Buffer {
  std::shared_ptr<void> owner;  ///< keeps the block; null for memory that outlives all its users
  std::byte* data = nullptr;    ///< its first byte
  size_t size = 0;              ///< in bytes
  int device = kHostMemory;     ///< kHostMemory, or the number of the GPU
  bool pinned = false;          ///< host memory from which GPUs copy at full speed
};

/// One tensor together with a share of its memory.
struct Tensor {
  Buffer buffer;       ///< the memory
  TensorView view;     ///< the elements in it
  std::string source;  ///< file or database key it was read from; may be empty
};

/// File or key of each sample of a batch; no texts where none is known. Copies share all of it.
class Sources {
 public:
  Sources() = default;  ///< none is known
  /// @param named  a text for each sample
  explicit Sources(std::vector<std::string> named);
  /// @param owner of the characters
  Sources(std::shared_ptr<const void> owner, std::vector<std::string_view> texts)
      : kept_(std::make_shared<const Kept>(Kept{std::move(owner), std::move(texts)})) {}

  /// A text for each sample, or none at all.
  std::span<const std::string_view> texts() const {
    return kept_ ? std::span(kept_->texts) : std::span<const std::string_view>();
  }
  /// Those of the chosen samples in that order; indices are not checked.
  Sources select(std::span<const int64_t> indices) const;

 private:
  struct Kept {
    std::shared_ptr<const void> owner;
    std::vector<std::string_view> texts;
  };
  std::shared_ptr<const Kept> kept_;
};

/// A batch: one tensor per sample, possibly of different shapes, all of one dtype and layout. Copies share all of it,
/// so they cost as much whatever its size.
class TensorList {
 public:
  TensorList() = default;  ///< no samples
  /// A uniform batch that lies in one block, sample after sample.
  /// @throws ArgumentError when the block is too small.
  TensorList(Buffer block, int64_t samples, const TensorDesc& each);
  /// A batch of separate tensors.
  /// Tensors without a layout take that of the first. @throws TypeError for mixed dtypes or layouts,
  /// ArgumentError for mixed ranks.
  explicit TensorList(std::vector<Tensor> samples);

  /// Number of samples.
  int64_t size() const { return samples_ ? static_cast<int64_t>(samples_->views.size()) : 0; }
  /// Sample `i`, from 0 to size() - 1, for as long as a copy of the batch is held; not checked.
  const TensorView& operator[](int64_t i) const { return samples_->views[static_cast<size_t>(i)]; }
  /// The sample with a share of its memory. @throws IndexError for a sample that there is not
  Tensor at(int64_t i) const;
  DType dtype() const { return dtype_; }  ///< of all samples
  /// The GPU that holds the samples, or kHostMemory.
  int device() const { return samples_ ? samples_->buffers[0].device : kHostMemory; }
  /// Dimensions of each sample; 0 where there are none.
  int ndim() const;
  /// Of all samples; empty: not said.
  const Layout& layout() const { return layout_; }
  /// Names the axes of all samples. @throws ArgumentError when the number of letters differs from the samples' rank.
  void set_layout(const Layout& layout);
  /// All samples have one shape.
  bool uniform() const { return !samples_ || samples_->uniform; }
  /// All samples lie in one block without gaps.
  bool contiguous() const { return !samples_ || samples_->contiguous; }
  /// What holds their memory: one block for all samples, or one a sample; none where there are no samples.
  std::span<const Buffer> blocks() const { return samples_ ? std::span(samples_->buffers) : std::span<const Buffer>(); }
  /// The batch as one tensor with a leading batch axis.
  /// @throws DataError when shapes differ ("Tensors in the list must have the same shape"), and where they lie apart in
  /// a GPU's memory: see side_by_side().
  Tensor as_tensor() const;
  /// File or key of each sample; empty when unknown.
  std::string_view source(int64_t i) const;
  /// Says where the samples come from: a text for each.
  void set_sources(Sources sources) { sources_ = std::move(sources); }
  /// What set_sources() or a reader said.
  const Sources& sources() const { return sources_; }
  /// The first `n` samples (all when there are fewer), sharing memory.
  TensorList head(int64_t n) const;
  /// The chosen samples in that order, sharing memory. @throws IndexError for a sample that there is not
  TensorList select(std::span<const int64_t> indices) const;

 private:
  struct Samples {
    std::vector<TensorView> views;
    std::vector<Buffer> buffers;  // one for all samples, or one a sample; never none
    bool uniform = true, contiguous = true;
  };
  void keep(Samples samples);
  std::shared_ptr<const Samples> samples_;  // never changed, as copies have it, too; null: none
  Sources sources_;
  DType dtype_ = DType::kNone;
  Layout layout_;
};

}  // namespace penstock
