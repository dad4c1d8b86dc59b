#include "ops/base/neighbourhood.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace penstock {
namespace {

constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max() / 4;  // along an axis, window included

int32_t narrow(int64_t x) { return static_cast<int32_t>(x); }

/// Elements of the axis that results in `wanted` are made from.
kernels::Range reached(kernels::Border border, const kernels::WindowAxis& axis, int64_t begin, int64_t end) {
  const int64_t first = begin - axis.anchor, last = end - axis.anchor + axis.taps - 1;
  int64_t low = std::clamp<int64_t>(first, 0, axis.extent - 1), high = std::clamp<int64_t>(last, low + 1, axis.extent);
  const auto see = [&](int64_t i) {
    const int64_t at = kernels::border_index<int64_t>(border, i, axis.extent);
    if (at >= 0) low = std::min(low, at), high = std::max(high, at + 1);
  };
  for (int64_t i = first; i < std::min<int64_t>(last, 0); ++i) see(i);
  for (int64_t i = std::max<int64_t>(first, axis.extent); i < last; ++i) see(i);
  return {low, high};
}

}  // namespace

kernels::Border border_named(const char* arg, std::string_view name) {
  struct Entry {
    std::string_view name;
    kernels::Border border;
  };
  static constexpr Entry kBorders[] = {
      {"constant", kernels::Border::kConstant},        {"clamp", kernels::Border::kClamp},
      {"replicate", kernels::Border::kClamp},          {"edge", kernels::Border::kClamp},
      {"reflect_1001", kernels::Border::kReflect1001}, {"reflect", kernels::Border::kReflect1001},
      {"reflect_101", kernels::Border::kReflect101},   {"wrap", kernels::Border::kWrap},
  };
  std::string lower(name);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const Entry& entry : kBorders)
    if (entry.name == lower) return entry.border;
  fail<ArgumentError>(
      "`{}` must be \"constant\", \"clamp\" (or \"replicate\"), \"reflect_1001\" (or \"reflect\"), \"reflect_101\" or "
      "\"wrap\", got \"{}\"",
      arg, name);
}

TensorDesc Neighbourhood::describe(const TensorDesc& in, const DataAxes& axes, std::span<const WindowSize> window,
                                   kernels::Border border, bool valid) {
  axes_ = axes, border_ = border, window_ = {};
  TensorDesc out = in;
  for (int i = 0; i < axes.count; ++i) {
    const int64_t extent = in.shape[axes.first + i];
    const auto [taps, anchor] = window[static_cast<size_t>(i)];
    PENSTOCK_CHECK(extent <= kMostElements && taps <= kMostElements, ArgumentError,
                   "an axis of {} elements or a window of {} is longer than {}", extent, taps, kMostElements);
    PENSTOCK_CHECK(!valid || extent >= taps, ArgumentError,
                   "a window of {} elements does not fit into an axis of {} (shape {})", taps, extent,
                   to_string(in.shape));
    axis(i) = {.extent = narrow(extent), .taps = taps, .anchor = valid ? 0 : anchor};
    if (valid) out.shape[axes.first + i] = extent - taps + 1;
  }
  return out;
}

Region Neighbourhood::need(const TensorDesc& in, const Region& wanted) const {
  Region needed = whole(in);
  if (wanted.empty() || needed.empty()) return {};
  for (int at = 0; at < axes_.first; ++at) needed.set(at, wanted.begin(at), wanted.end(at));
  for (int i = 0; i < axes_.count; ++i) {
    const int at = axes_.first + i;
    const kernels::WindowAxis& axis = window_[static_cast<size_t>(3 - axes_.count + i)];
    const kernels::Range read = reached(border_, axis, wanted.begin(at), wanted.end(at));
    needed.set(at, read.begin, read.end);
  }
  return needed;
}

kernels::WindowAxes Neighbourhood::placed(const Value& in, const Value& out) const {
  kernels::WindowAxes placed = window_;
  const TensorDesc from = cut(in.tensor, in.held), to = cut(out.tensor, out.held);
  for (int i = 0; i < axes_.count; ++i) {
    kernels::WindowAxis& axis = placed[static_cast<size_t>(3 - axes_.count + i)];
    const int at = axes_.first + i;
    axis.held_begin = narrow(in.held.begin(at));
    axis.wanted_begin = narrow(out.held.begin(at));
    axis.held = narrow(from.shape[at]);
    axis.wanted = narrow(to.shape[at]);
  }
  return placed;
}

void Neighbourhood::describe(const Value& in, const Value& out, kernels::NeighbourhoodJob& job) const {
  job.axes = placed(in, out);
  job.channels = narrow(axes_.channels);
  job.outer = cut(out.tensor, out.held).shape.volume() == 0 ? 0 : narrow(out.held.outer(axes_.first));
  job.border = border_;
}

}  // namespace penstock
