// Tensors and ragged batches: views over shared blocks of memory, always dense and row-major.
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
  DType dtype = DType::kNone;
  Shape shape;
  Layout layout;

  size_t nbytes() const { return static_cast<size_t>(shape.volume()) * size_of(dtype); }
  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

/// A tensor in memory that something else keeps alive.
struct TensorView : TensorDesc {
  std::byte* data = nullptr;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// Where a block of memory is: kHostMemory, or the number of a GPU.
inline constexpr int kHostMemory = -1;

/// A block of memory with shared ownership: it goes back where it came from when the last owner lets go.
struct Buffer {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
  size_t size = 0;
  int device = kHostMemory;
  bool pinned = false;  ///< host memory from which GPUs copy at full speed
};

/// One tensor together with a share of its memory.
struct Tensor {
  Buffer buffer;
  TensorView view;
  std::string source;  ///< file or database key it was read from; may be empty
};

/// File or key of each sample of a batch; no texts where none is known. Copies share all of it.
class Sources {
 public:
  Sources() = default;
  explicit Sources(std::vector<std::string> named);
  /// @param owner of the characters
  Sources(std::shared_ptr<const void> owner, std::vector<std::string_view> texts)
      : kept_(std::make_shared<const Kept>(Kept{std::move(owner), std::move(texts)})) {}

  std::span<const std::string_view> texts() const {
    return kept_ ? std::span(kept_->texts) : std::span<const std::string_view>();
  }
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
  TensorList() = default;
  /// A uniform batch that lies in one block, sample after sample.
  /// @throws ArgumentError when the block is too small.
  TensorList(Buffer block, int64_t samples, const TensorDesc& each);
  /// A batch of separate tensors.
  /// Tensors without a layout take that of the first. @throws TypeError for mixed dtypes or layouts,
  /// ArgumentError for mixed ranks.
  explicit TensorList(std::vector<Tensor> samples);

  int64_t size() const { return samples_ ? static_cast<int64_t>(samples_->views.size()) : 0; }
  const TensorView& operator[](int64_t i) const { return samples_->views[static_cast<size_t>(i)]; }
  /// The sample with a share of its memory. @throws IndexError
  Tensor at(int64_t i) const;
  DType dtype() const { return dtype_; }
  /// The GPU that holds the samples, or kHostMemory.
  int device() const { return samples_ ? samples_->buffers[0].device : kHostMemory; }
  int ndim() const;
  const Layout& layout() const { return layout_; }
  /// @throws ArgumentError when the number of letters differs from the samples' rank.
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
  void set_sources(Sources sources) { sources_ = std::move(sources); }
  const Sources& sources() const { return sources_; }
  /// The first `n` samples (all when there are fewer), sharing memory.
  TensorList head(int64_t n) const;
  /// The chosen samples in that order, sharing memory. @throws IndexError
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
