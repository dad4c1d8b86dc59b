#include "ops/boxes/window_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"

namespace penstock {
namespace {

constexpr float kRounding = 1e-5f;          // so little a ratio of extents may miss its range
constexpr int64_t kMostAttempts = 100'000;  // where none are said: 0.1 s or less

const Box kWhole{{0, 0, 0}, {1, 1, 1}};

void check_range(const char* name, float low, float high) {
  PENSTOCK_CHECK(low >= 0 && low <= high && std::isfinite(high), ArgumentError,
                 "`{}` range must be positive and min <= max, got {}, {}", name, low, high);
}

}  // namespace

void WindowRules::check() const {
  PENSTOCK_CHECK(scaling.size() == 2, ArgumentError, "`scaling` must be a range `[min, max]`, got {} values",
                 scaling.size());
  check_range("scaling", scaling[0], scaling[1]);
  PENSTOCK_CHECK(scaling[1] > 0, ArgumentError, "`scaling` allows no window but empty ones");
  PENSTOCK_CHECK(aspect_ratio.size() == 2 || aspect_ratio.size() == 6, ArgumentError,
                 "`aspect_ratio` should have 2 elements, or 6 for boxes of three axes, got {}", aspect_ratio.size());
  for (size_t i = 0; i < aspect_ratio.size(); i += 2) check_range("aspect_ratio", aspect_ratio[i], aspect_ratio[i + 1]);
  PENSTOCK_CHECK(!thresholds.empty(), ArgumentError, "At least one threshold value must be provided");
  for (const float threshold : thresholds)
    PENSTOCK_CHECK(threshold >= 0 && threshold <= 1, ArgumentError, "`thresholds` must lie within [0, 1], got {}",
                   threshold);
  PENSTOCK_CHECK(num_attempts > 0, ArgumentError, "`num_attempts` must be greater than zero, got {}", num_attempts);
  PENSTOCK_CHECK(!total_num_attempts || *total_num_attempts > 0, ArgumentError,
                 "`total_num_attempts` must be greater than zero, got {}", total_num_attempts.value_or(0));
  PENSTOCK_CHECK(threshold_type == "iou" || threshold_type == "overlap", ArgumentError,
                 "`threshold_type` must be \"iou\" or \"overlap\", got \"{}\"", threshold_type);
  const float prune = bbox_prune_threshold.value_or(0);
  PENSTOCK_CHECK(prune >= 0 && prune <= 1, ArgumentError, "`bbox_prune_threshold` must lie in [0, 1], got {}", prune);
}

WindowSearch::WindowSearch(const WindowRules& rules, int ndim, const std::optional<Extents>& input,
                           const std::optional<Extents>& window)
    : rules_(rules), ndim_(ndim), input_(input), window_(window), relative_(rules.threshold_type == "overlap") {
  for (const float threshold : rules.thresholds) options_.push_back({false, threshold});
  if (rules.allow_no_crop) options_.push_back({true, 0});
}

FoundWindow WindowSearch::find(Random& random, std::span<const Box> boxes) const {
  const int64_t most = rules_.total_num_attempts.value_or(kMostAttempts);
  FoundWindow best{kWhole, shown(kWhole, boxes)};
  float best_overlap = -1;
  for (int64_t attempt = 0; attempt < most;) {
    const Option& option = options_[random.below(static_cast<uint32_t>(options_.size()))];
    if (option.whole) {
      FoundWindow all{kWhole, {}};
      for (size_t i = 0; i < boxes.size(); ++i) all.kept.push_back(static_cast<int32_t>(i));
      return all;
    }
    for (int64_t i = 0; i < rules_.num_attempts && attempt < most; ++i, ++attempt) {
      const std::optional<Box> window = draw(random);
      if (!window) continue;
      const float overlap = this->overlap(*window, boxes);
      const bool enough = overlap >= option.threshold;
      if (!enough && overlap <= best_overlap) continue;
      FoundWindow found{*window, shown(*window, boxes)};
      if (enough && (!found.kept.empty() || boxes.empty())) return found;
      if (overlap > best_overlap) best = std::move(found), best_overlap = overlap;
    }
  }
  PENSTOCK_CHECK(rules_.total_num_attempts, DataError,
                 "none of {} windows satisfies `thresholds` and `aspect_ratio` for the {} boxes; widen `scaling` and "
                 "`aspect_ratio`, lower `thresholds`, or pass `total_num_attempts` to take the best window after that "
                 "many",
                 most, boxes.size());
  return best;
}

std::optional<Box> WindowSearch::draw(Random& random) const {
  Box box;
  if (window_) {
    for (size_t axis = 0; axis < static_cast<size_t>(ndim_); ++axis) {
      const int64_t all = (*input_)[axis], extent = (*window_)[axis];
      // A window that is larger than the picture holds all of it.
      const int64_t slack = all - extent, steps = random.below(static_cast<uint32_t>(std::abs(slack) + 1));
      const auto anchor = static_cast<float>(slack < 0 ? -steps : steps);
      box.low[axis] = anchor / static_cast<float>(all);
      box.high[axis] = (anchor + static_cast<float>(extent)) / static_cast<float>(all);
    }
    return box;
  }
  const auto extents = draw_extents(random);
  if (!extents) return {};
  for (size_t axis = 0; axis < static_cast<size_t>(ndim_); ++axis) {
    const float extent = (*extents)[axis];
    box.low[axis] = random.uniform() * (1 - extent);
    box.high[axis] = box.low[axis] + extent;
    if (extent <= 1) box.high[axis] = std::min(box.high[axis], 1.0f);
  }
  return box;
}

std::optional<std::array<float, kMostBoxAxes>> WindowSearch::draw_extents(Random& random) const {
  std::array<float, kMostBoxAxes> extents{};
  for (int axis = 0; axis < ndim_; ++axis)
    extents[static_cast<size_t>(axis)] = random.uniform(rules_.scaling[0], rules_.scaling[1]);
  fix_ratios(random, extents);
  for (int axis = 0; axis < ndim_; ++axis)
    for (int other = axis + 1; other < ndim_; ++other) {
      const auto [least, most] = ratios(axis, other);
      const float ratio = extents[static_cast<size_t>(axis)] / extents[static_cast<size_t>(other)];
      if (!(ratio >= least * (1 - kRounding) && ratio <= most * (1 + kRounding))) return {};
    }
  return extents;
}

/// Where only one ratio will do, chance would hardly find it: one extent follows from another, in an order that is
/// drawn, and the greatest extent stays what it was.
void WindowSearch::fix_ratios(Random& random, std::array<float, kMostBoxAxes>& extents) const {
  std::array<int, kMostBoxAxes> order = {0, 1, 2};
  for (int i = ndim_; i-- > 1;)
    std::swap(order[static_cast<size_t>(i)], order[random.below(static_cast<uint32_t>(i + 1))]);
  const auto greatest = [&] { return *std::max_element(extents.begin(), extents.begin() + ndim_); };
  const float before = greatest();
  bool changed = false;
  for (int i = 0; i < ndim_; ++i)
    for (int k = i + 1; k < ndim_; ++k) {
      const int axis = order[static_cast<size_t>(i)], other = order[static_cast<size_t>(k)];
      const auto [least, most] = ratios(axis, other);
      if (least != most || !(least > 0)) continue;
      extents[static_cast<size_t>(axis)] = extents[static_cast<size_t>(other)] * least;
      changed = true;
    }
  if (!changed) return;
  const float scale = before / greatest();
  for (float& extent : extents) extent *= scale;
}

std::array<float, 2> WindowSearch::ratios(int axis, int other) const {
  const bool swapped = axis > other;
  const int low = swapped ? other : axis, high = swapped ? axis : other;
  const size_t pair = rules_.aspect_ratio.size() == 2 ? 0 : static_cast<size_t>(2 * (low + high - 1));  // xy, xz, yz
  float least = rules_.aspect_ratio[pair], most = rules_.aspect_ratio[pair + 1];
  if (input_) {
    const float parts = static_cast<float>((*input_)[static_cast<size_t>(high)]) /
                        static_cast<float>((*input_)[static_cast<size_t>(low)]);
    least *= parts, most *= parts;
  }
  if (swapped) return {1 / most, 1 / least};
  return {least, most};
}

float WindowSearch::overlap(const Box& window, std::span<const Box> boxes) const {
  if (boxes.empty()) return 1;
  float least = 1, most = 0;
  for (const Box& box : boxes) {
    const float volume = box.volume(ndim_);
    const float overlap = !relative_   ? intersection_over_union(window, box, ndim_)
                          : volume > 0 ? common_volume(window, box, ndim_) / volume
                                       : 0;
    least = std::min(least, overlap), most = std::max(most, overlap);
  }
  return rules_.all_boxes_above_threshold ? least : most;
}

std::vector<int32_t> WindowSearch::shown(const Box& window, std::span<const Box> boxes) const {
  std::vector<int32_t> kept;
  for (size_t i = 0; i < boxes.size(); ++i) {
    bool keep = false;
    if (rules_.bbox_prune_threshold) {
      const float common = common_volume(window, boxes[i], ndim_);
      keep = common > 0 && common / boxes[i].volume(ndim_) >= *rules_.bbox_prune_threshold * (1 - kRounding);
    } else {
      keep = window.holds_middle_of(boxes[i], ndim_);
    }
    if (keep) kept.push_back(static_cast<int32_t>(i));
  }
  return kept;
}

Box seen_from(const Box& window, const Box& box, int ndim) {
  Box seen;
  for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) {
    const float extent = window.high[axis] - window.low[axis];
    seen.low[axis] = std::clamp((box.low[axis] - window.low[axis]) / extent, 0.0f, 1.0f);
    seen.high[axis] = std::clamp((box.high[axis] - window.low[axis]) / extent, 0.0f, 1.0f);
  }
  return seen;
}

}  // namespace penstock
