#include "kernels/gather/gather.h"

#include <numeric>

namespace penstock::kernels {
namespace {

// Rows shorter than this are joined, as the work around a row costs about as much as so many elements...
constexpr size_t kShortRow = 64;
// ...but not to more elements than this, so that the lists stay in the L2 cache.
constexpr size_t kLongestRow = size_t{1} << 16;

}  // namespace

std::vector<int64_t>& GatherMap::add_axis(bool channel) {
  Axis& axis = axes_[static_cast<size_t>(ndim_++)];
  axis.channel = channel;
  axis.offsets.clear();
  return axis.offsets;
}

void GatherMap::finish() {
  if (ndim_ == 0) add_axis(false).push_back(0);
  num_channels_ = 1;
  for (int i = 0; i < ndim_; ++i)
    if (const Axis& axis = axes_[static_cast<size_t>(i)]; axis.channel)
      num_channels_ = static_cast<int64_t>(axis.offsets.size());
  join_inner_axes();
  classify_row();
  splits_planes_ = find_planes();
}

void GatherMap::join_inner_axes() {
  Axis* row = &axes_[static_cast<size_t>(ndim_ - 1)];
  row_channels_.resize(row->channel ? row->offsets.size() : 0);
  std::iota(row_channels_.begin(), row_channels_.end(), 0);
  while (ndim_ > 1) {
    Axis& outer = axes_[static_cast<size_t>(ndim_ - 2)];
    if (row->offsets.size() >= kShortRow || outer.offsets.size() * row->offsets.size() > kLongestRow) return;
    joined_.clear();
    joined_channels_.clear();
    for (size_t i = 0; i < outer.offsets.size(); ++i) {
      for (const int64_t inner : row->offsets)
        joined_.push_back(inner == kOutside || outer.offsets[i] == kOutside ? kOutside : outer.offsets[i] + inner);
      if (outer.channel) {
        joined_channels_.insert(joined_channels_.end(), row->offsets.size(), static_cast<int32_t>(i));
      } else {
        joined_channels_.insert(joined_channels_.end(), row_channels_.begin(), row_channels_.end());
      }
    }
    row_channels_.swap(joined_channels_);
    outer.offsets.swap(joined_);
    outer.channel = false;  // now it is the row's
    row = &outer;
    --ndim_;
  }
}

void GatherMap::classify_row() {
  const std::vector<int64_t>& offsets = row();
  outside_.clear();
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] == kOutside) outside_.push_back(static_cast<int32_t>(i));
  begin_ = 0;
  end_ = row_size();
  while (begin_ < end_ && offsets[static_cast<size_t>(begin_)] == kOutside) ++begin_;
  while (end_ > begin_ && offsets[static_cast<size_t>(end_ - 1)] == kOutside) --end_;
  step_ = pixel_ = 0;
  const std::span inside(offsets.begin() + begin_, offsets.begin() + end_);
  if (static_cast<int64_t>(outside_.size() + inside.size()) != row_size()) return;  // holes between
  step_ = inside.size() > 1 ? inside[1] - inside[0] : 1;
  for (size_t i = 1; i < inside.size(); ++i)
    if (inside[i] - inside[i - 1] != step_) step_ = 0;
  pixel_ = mirrored_pixel();
}

int64_t GatherMap::mirrored_pixel() const {
  const std::span inside(row().begin() + begin_, row().begin() + end_);
  size_t pixel = 1;
  while (pixel < inside.size() && inside[pixel] == inside[pixel - 1] + 1) ++pixel;
  if (pixel >= inside.size() || inside.size() % pixel != 0) return 0;
  for (size_t i = pixel; i < inside.size(); ++i)
    if (inside[i] != inside[i - pixel] - static_cast<int64_t>(pixel)) return 0;
  return static_cast<int64_t>(pixel);
}

bool GatherMap::find_planes() const {
  if (ndim_ < 3 || (step_ != 3 && step_ != -3)) return false;
  const Axis& planes = axes_[static_cast<size_t>(ndim_ - 3)];
  if (!planes.channel || planes.offsets.size() < 3) return false;
  for (size_t c = 0; c < planes.offsets.size(); ++c)
    if (planes.offsets[c] != (c < 3 ? static_cast<int64_t>(c) : kOutside)) return false;
  return true;
}

}  // namespace penstock::kernels
