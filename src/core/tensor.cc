#include <penstock/tensor.h>

#include <algorithm>

#include "core/check.h"

namespace penstock {

Sources::Sources(std::vector<std::string> named) {
  if (std::all_of(named.begin(), named.end(), [](const std::string& text) { return text.empty(); })) return;
  const auto kept = std::make_shared<const std::vector<std::string>>(std::move(named));
  texts.assign(kept->begin(), kept->end());
  owner = kept;
}

Sources Sources::select(std::span<const int64_t> indices) const {
  Sources chosen;
  if (texts.empty()) return chosen;
  chosen.owner = owner;
  chosen.texts.reserve(indices.size());
  for (int64_t i : indices) chosen.texts.push_back(texts[static_cast<size_t>(i)]);
  return chosen;
}

TensorList::TensorList(Buffer block, int64_t samples, const TensorDesc& each)
    : dtype_(each.dtype), layout_(each.layout) {
  const size_t bytes = each.nbytes();
  const bool fits = samples >= 0 && (bytes == 0 || static_cast<size_t>(samples) <= block.size / bytes);
  PENSTOCK_CHECK(fits, ArgumentError, "{} samples of {} bytes do not fit a block of {} bytes", samples, bytes,
                 block.size);
  views_.reserve(static_cast<size_t>(std::max<int64_t>(0, samples)));
  for (int64_t i = 0; i < samples; ++i) views_.push_back({each, block.data + bytes * static_cast<size_t>(i)});
  buffers_.push_back(std::move(block));
}

TensorList::TensorList(std::vector<Tensor> samples) {
  if (samples.empty()) return;
  dtype_ = samples[0].view.dtype;
  layout_ = samples[0].view.layout;
  const int ndim = samples[0].view.shape.ndim();
  std::vector<std::string> named;
  for (size_t i = 0; i < samples.size(); ++i) {
    Tensor& sample = samples[i];
    PENSTOCK_CHECK(sample.view.dtype == dtype_, TypeError,
                   "Tensors cannot have different data types. Tensor at position {} has type {}, expected {}", i,
                   name_of(sample.view.dtype), name_of(dtype_));
    PENSTOCK_CHECK(sample.view.shape.ndim() == ndim, ArgumentError,
                   "tensors of one batch have one rank; tensor at position {} has {} dimensions, expected {}", i,
                   sample.view.shape.ndim(), ndim);
    PENSTOCK_CHECK(sample.view.layout.empty() || sample.view.layout == layout_, TypeError,
                   "tensors of one batch have one layout; tensor at position {} has \"{}\", expected \"{}\"", i,
                   sample.view.layout.view(), layout_.view());
    sample.view.layout = layout_;
    named.push_back(std::move(sample.source));
    views_.push_back(sample.view);
    buffers_.push_back(std::move(sample.buffer));
  }
  sources_ = Sources(std::move(named));
}

Tensor TensorList::at(int64_t i) const {
  PENSTOCK_CHECK(i >= 0 && i < size(), IndexError, "TensorListCPU index out of range: {} of {} samples", i, size());
  const auto n = static_cast<size_t>(i);
  return {buffers_.size() == 1 ? buffers_[0] : buffers_[n], views_[n], std::string(source(i))};
}

int TensorList::ndim() const { return views_.empty() ? 0 : views_[0].shape.ndim(); }

void TensorList::set_layout(const Layout& layout) {
  PENSTOCK_CHECK(layout.empty() || views_.empty() || layout.ndim() == ndim(), ArgumentError,
                 "layout \"{}\" has {} letters, the samples have {} dimensions", layout.view(), layout.ndim(), ndim());
  layout_ = layout;
  for (TensorView& view : views_) view.layout = layout;
}

bool TensorList::uniform() const {
  return std::all_of(views_.begin(), views_.end(), [&](const TensorView& v) { return v.shape == views_[0].shape; });
}

bool TensorList::contiguous() const {
  if (views_.size() <= 1) return true;
  if (buffers_.size() > 1) return false;
  const std::byte* expected = views_[0].data;
  for (const TensorView& view : views_) {
    if (view.data != expected) return false;
    expected += view.nbytes();
  }
  return true;
}

Tensor TensorList::as_tensor() const {
  PENSTOCK_CHECK(
      uniform(), DataError,
      "Tensors in the list must have the same shape to become one tensor; resize or crop them to one size, or "
      "take the samples one by one");
  TensorView whole;
  whole.dtype = dtype_;
  whole.shape.push_back(size());
  if (!views_.empty()) {  // the shape of no samples is not known, so neither are its axes
    for (int64_t extent : views_[0].shape) whole.shape.push_back(extent);
    if (!layout_.empty()) whole.layout = Layout("N" + layout_.str());
  }
  if (contiguous()) {
    whole.data = views_.empty() ? nullptr : views_[0].data;
    return {buffers_.empty() ? Buffer{} : buffers_[0], whole, {}};
  }
  PENSTOCK_CHECK(device() == kHostMemory, DataError,
                 "the samples do not lie side by side in the GPU's memory; call side_by_side() first");
  const size_t each = views_[0].nbytes();
  std::shared_ptr<std::byte[]> block(new (std::align_val_t(64)) std::byte[std::max<size_t>(1, each * views_.size())],
                                     [](std::byte* p) { ::operator delete[](p, std::align_val_t(64)); });
  for (size_t i = 0; i < views_.size(); ++i) std::copy_n(views_[i].data, each, block.get() + i * each);
  whole.data = block.get();
  return {Buffer{block, whole.data, each * views_.size()}, whole, {}};
}

std::string_view TensorList::source(int64_t i) const {
  return static_cast<size_t>(i) < sources_.texts.size() ? sources_.texts[static_cast<size_t>(i)] : "";
}

TensorList TensorList::head(int64_t n) const {
  std::vector<int64_t> indices(static_cast<size_t>(std::clamp<int64_t>(n, 0, size())));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i);
  return select(indices);
}

TensorList TensorList::select(std::span<const int64_t> indices) const {
  TensorList result;
  result.dtype_ = dtype_;
  result.layout_ = layout_;
  const bool shared = buffers_.size() <= 1;
  if (shared) result.buffers_ = buffers_;
  for (int64_t i : indices) {
    PENSTOCK_CHECK(i >= 0 && i < size(), IndexError, "TensorListCPU index out of range: {} of {} samples", i, size());
    const auto n = static_cast<size_t>(i);
    result.views_.push_back(views_[n]);
    if (!shared) result.buffers_.push_back(buffers_[n]);
  }
  result.sources_ = sources_.select(indices);
  return result;
}

}  // namespace penstock
