#include <penstock/tensor.h>

#include <algorithm>

#include "core/check.h"

namespace penstock {

Sources::Sources(std::vector<std::string> named) {
  if (std::all_of(named.begin(), named.end(), [](const std::string& text) { return text.empty(); })) return;
  const auto kept = std::make_shared<const std::vector<std::string>>(std::move(named));
  *this = Sources(kept, {kept->begin(), kept->end()});
}

Sources Sources::select(std::span<const int64_t> indices) const {
  if (!kept_) return {};
  std::vector<std::string_view> chosen;
  chosen.reserve(indices.size());
  for (int64_t i : indices) chosen.push_back(kept_->texts[static_cast<size_t>(i)]);
  return {kept_->owner, std::move(chosen)};
}

TensorList::TensorList(Buffer block, int64_t samples, const TensorDesc& each)
    : dtype_(each.dtype), layout_(each.layout) {
  const size_t bytes = each.nbytes();
  const bool fits = samples >= 0 && (bytes == 0 || static_cast<size_t>(samples) <= block.size / bytes);
  PENSTOCK_CHECK(fits, ArgumentError, "{} samples of {} bytes do not fit a block of {} bytes", samples, bytes,
                 block.size);
  Samples made;
  made.views.reserve(static_cast<size_t>(samples));
  for (int64_t i = 0; i < samples; ++i) made.views.push_back({each, block.data + bytes * static_cast<size_t>(i)});
  made.buffers.push_back(std::move(block));
  samples_ = std::make_shared<const Samples>(std::move(made));
}

TensorList::TensorList(std::vector<Tensor> samples) {
  if (samples.empty()) return;
  dtype_ = samples[0].view.dtype;
  layout_ = samples[0].view.layout;
  const int ndim = samples[0].view.shape.ndim();
  std::vector<std::string> named;
  Samples made;
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
    made.views.push_back(sample.view);
    made.buffers.push_back(std::move(sample.buffer));
  }
  sources_ = Sources(std::move(named));
  keep(std::move(made));
}

void TensorList::keep(Samples samples) {
  if (samples.buffers.empty()) return;
  const std::vector<TensorView>& views = samples.views;
  samples.contiguous = views.size() <= 1 || samples.buffers.size() == 1;
  const std::byte* expected = views.empty() ? nullptr : views[0].data;
  for (const TensorView& view : views) {
    samples.uniform = samples.uniform && view.shape == views[0].shape;
    samples.contiguous = samples.contiguous && view.data == expected;
    if (samples.contiguous) expected += view.nbytes();
  }
  samples_ = std::make_shared<const Samples>(std::move(samples));
}

Tensor TensorList::at(int64_t i) const {
  PENSTOCK_CHECK(i >= 0 && i < size(), IndexError, "TensorListCPU index out of range: {} of {} samples", i, size());
  const auto n = static_cast<size_t>(i);
  const std::vector<Buffer>& buffers = samples_->buffers;
  return {buffers[buffers.size() == 1 ? 0 : n], (*this)[i], std::string(source(i))};
}

int TensorList::ndim() const { return size() ? (*this)[0].shape.ndim() : 0; }

void TensorList::set_layout(const Layout& layout) {
  PENSTOCK_CHECK(layout.empty() || !size() || layout.ndim() == ndim(), ArgumentError,
                 "layout \"{}\" has {} letters, the samples have {} dimensions", layout.view(), layout.ndim(), ndim());
  if (layout == layout_) return;
  layout_ = layout;
  if (!samples_) return;
  Samples named = *samples_;
  for (TensorView& view : named.views) view.layout = layout;
  samples_ = std::make_shared<const Samples>(std::move(named));
}

Tensor TensorList::as_tensor() const {
  PENSTOCK_CHECK(
      uniform(), DataError,
      "Tensors in the list must have the same shape to become one tensor; resize or crop them to one size, or "
      "take the samples one by one");
  TensorView whole;
  whole.dtype = dtype_;
  whole.shape.push_back(size());
  if (size()) {  // the shape of no samples is not known, so neither are its axes
    for (int64_t extent : (*this)[0].shape) whole.shape.push_back(extent);
    if (!layout_.empty()) whole.layout = Layout("N" + layout_.str());
  }
  if (contiguous()) {
    whole.data = size() ? (*this)[0].data : nullptr;
    return {samples_ ? samples_->buffers[0] : Buffer{}, whole, {}};
  }
  PENSTOCK_CHECK(device() == kHostMemory, DataError,
                 "the samples do not lie side by side in the GPU's memory; call side_by_side() first");
  const std::vector<TensorView>& views = samples_->views;
  const size_t each = views[0].nbytes();
  std::shared_ptr<std::byte[]> block(new (std::align_val_t(64)) std::byte[std::max<size_t>(1, each * views.size())],
                                     [](std::byte* p) { ::operator delete[](p, std::align_val_t(64)); });
  for (size_t i = 0; i < views.size(); ++i) std::copy_n(views[i].data, each, block.get() + i * each);
  whole.data = block.get();
  return {Buffer{block, whole.data, each * views.size()}, whole, {}};
}

std::string_view TensorList::source(int64_t i) const {
  const auto texts = sources_.texts();
  return static_cast<size_t>(i) < texts.size() ? texts[static_cast<size_t>(i)] : "";
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
  Samples chosen;
  const bool shared = samples_ && samples_->buffers.size() == 1;
  if (shared) chosen.buffers = samples_->buffers;
  for (int64_t i : indices) {
    PENSTOCK_CHECK(i >= 0 && i < size(), IndexError, "TensorListCPU index out of range: {} of {} samples", i, size());
    const auto n = static_cast<size_t>(i);
    chosen.views.push_back(samples_->views[n]);
    if (!shared) chosen.buffers.push_back(samples_->buffers[n]);
  }
  result.keep(std::move(chosen));
  result.sources_ = sources_.select(indices);
  return result;
}

}  // namespace penstock
