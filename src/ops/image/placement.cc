#include "ops/image/placement.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/dispatch.h"
#include "kernels/gather/job.h"
#include "ops/geometry/homography.h"

namespace penstock {
namespace {

struct Range {
  int64_t begin = 0, end = 0;
};

char letter_of(const TensorDesc& input, int axis) { return input.layout.empty() ? '\0' : input.layout[axis]; }

/// The index of the input's axis that `i` of the window falls on, which may lie outside.
int64_t position(const Placement& p, int axis, int64_t i) {
  const int64_t step = p.mirrored[static_cast<size_t>(axis)] ? p.window.extent[axis] - 1 - i : i;
  return p.window.anchor[axis] + step;
}

/// The index of the input's axis that stands at `i` of the window, or -1.
int64_t source(const Placement& p, const TensorDesc& input, int axis, int64_t i) {
  return source_index(p.policy, position(p, axis, i), input.shape[axis]);
}

int64_t output_extent(const Placement& p, const TensorDesc& input, int axis) {
  return p.channels > 0 && letter_of(input, axis) == 'C' ? p.channels : p.window.extent[axis];
}

/// The part of an input axis that a range of the output shows, where all of it lies inside. It is what most windows do,
/// and looking at their rows and columns one by one took 0.6 us of 24 a picture.
std::optional<Range> shown(const Placement& p, const TensorDesc& input, int axis, const Range& wanted) {
  const auto [low, high] = std::minmax({position(p, axis, wanted.begin), position(p, axis, wanted.end - 1)});
  const bool inside = wanted.begin < wanted.end && low >= 0 && high < input.shape[axis];
  return inside ? std::optional(Range{low, high + 1}) : std::nullopt;
}

/// Indices of one input axis that a range of the output reads; empty when there are none.
Range sources(const Placement& p, const TensorDesc& input, int axis, const Range& wanted) {
  if (const auto part = shown(p, input, axis, wanted)) return *part;
  Range read{input.shape[axis], 0};
  for (int64_t i = wanted.begin; i < wanted.end; ++i)
    if (const int64_t index = source(p, input, axis, i); index >= 0)
      read = {std::min(read.begin, index), std::max(read.end, index + 1)};
  return read;
}

/// Where the elements of the `wanted` part of the output lie in the `held` part of the input.
void map_placement(const Placement& placement, const TensorDesc& input, const Region& held, const Region& wanted,
                   kernels::GatherMap& map) {
  const Shape held_shape = cut(input, held).shape;
  map.clear();
  for (int i = 0; i < input.shape.ndim(); ++i) {
    const int axis = placement.order[static_cast<size_t>(i)];
    const char letter = letter_of(input, axis);
    int64_t stride = 1;
    for (int inner = axis + 1; inner < held_shape.ndim(); ++inner) stride *= held_shape[inner];
    const int64_t first = held.begin(axis);
    const Range range{wanted.begin(i), wanted.end(i)};
    std::vector<int64_t>& offsets = map.add_axis(letter == 'C');
    if (const auto part = shown(placement, input, axis, range)) {
      offsets.resize(static_cast<size_t>(part->end - part->begin));
      const bool mirrored = placement.mirrored[static_cast<size_t>(axis)];
      int64_t at = ((mirrored ? part->end - 1 : part->begin) - first) * stride;
      for (int64_t& offset : offsets) offset = std::exchange(at, at + (mirrored ? -stride : stride));
      continue;
    }
    for (int64_t index = range.begin; index < range.end; ++index) {
      const int64_t from = source(placement, input, axis, index);
      // Padded channels lie past the window; the policies that repeat the input are not for them.
      const bool outside = from < 0 || index >= placement.window.extent[axis];
      offsets.push_back(outside ? kernels::kOutside : (from - first) * stride);
    }
  }
}

template <class In, class Out>
void convert_rows(Sample& s, const kernels::GatherMap& map, std::span<const float> fills) {
  In* scratch = s.scratch_array<In>(static_cast<size_t>(map.row_size()));
  const auto convert = [](const In* in, int64_t n, int64_t, int64_t, Out* out) {
    if constexpr (std::is_same_v<In, Out>) {
      std::memcpy(out, in, static_cast<size_t>(n) * sizeof(In));
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = truncate_sat<Out>(in[i]);
    }
  };
  kernels::gather<In, Out>(map, s.in(0).tensor.as<In>(), convert_fills<Out>(s, fills, map.num_channels()),
                           s.out(0).tensor.as<Out>(), scratch, convert);
}

}  // namespace

Names image_layouts() { return {"HWC", "CHW", "DHWC", "CDHW", "FHWC", "FCHW", "CFHW", "FDHWC", "FCDHW", "CFDHW"}; }

void check_window_dtype(const std::optional<DType>& dtype) {
  PENSTOCK_CHECK(!dtype || *dtype == DType::kFloat || *dtype == DType::kFloat16 || *dtype == DType::kUInt8,
                 ArgumentError, "Not supported output type: {}; use FLOAT, FLOAT16, UINT8, or none for the input's",
                 name_of(*dtype));
}

Placement placed_whole(const TensorDesc& input) {
  Placement placement{.window = whole_window(input.shape), .dtype = input.dtype};
  std::iota(placement.order.begin(), placement.order.end(), 0);
  return placement;
}

TensorDesc placed(const Placement& placement, const TensorDesc& input) {
  TensorDesc output{.dtype = placement.dtype};
  std::string letters;
  for (int i = 0; i < input.shape.ndim(); ++i) {
    const int axis = placement.order[static_cast<size_t>(i)];
    output.shape.push_back(output_extent(placement, input, axis));
    if (!input.layout.empty()) letters += input.layout[axis];
  }
  output.layout = Layout(letters);
  return output;
}

PixelMap placed_map(const Placement& placement, const TensorDesc& input) {
  PixelMap map = pixels_of(input);
  for (size_t i = 0; i < static_cast<size_t>(map.axes); ++i) {
    const int axis = pixel_axis(input, "WHD"[i]);
    const auto begin = static_cast<double>(placement.window.anchor[axis]);
    map.out[i] = static_cast<double>(placement.window.extent[axis]);
    const bool mirrored = placement.mirrored[static_cast<size_t>(axis)];
    map.to_output[i][i] = mirrored ? -1 : 1;
    map.to_output[i][3] = mirrored ? begin + map.out[i] : -begin;
  }
  return map;
}

Region placed_need(const Placement& placement, const TensorDesc& input, const Region& wanted) {
  Region needed(input.shape);
  for (int i = 0; i < input.shape.ndim(); ++i) {
    const int axis = placement.order[static_cast<size_t>(i)];
    // Channels that are added to those of the window are read nowhere.
    const int64_t end = std::min(wanted.end(i), placement.window.extent[axis]);
    const Range read = sources(placement, input, axis, {std::min(wanted.begin(i), end), end});
    needed.set(axis, read.begin, read.end);
  }
  return needed.empty() ? Region() : needed;
}

std::span<const float> used_fills(PlacedState& state, const TensorDesc& input, const std::vector<float>& fill_values) {
  const Placement& placement = state.placement;
  if (placement.policy != OutOfBounds::kPad) return {};
  PENSTOCK_CHECK(fill_values.size() <= 1 || input.layout.has('C'), ArgumentError,
                 "Multi-channel fill_values was provided but channel dimension could not be found in layout \"{}\"",
                 input.layout.view());
  const bool partial = fill_values.size() > 1 && placement.channels > 0 &&
                       static_cast<int64_t>(fill_values.size()) == placement.window.extent[input.layout.find('C')];
  if (!partial) return fill_values;
  state.fills = fill_values;
  state.fills.resize(static_cast<size_t>(placement.channels));
  return state.fills;
}

void check_fills(std::span<const float> fills, int64_t channels) {
  const bool fits = fills.size() <= 1 || channels == 0 || static_cast<int64_t>(fills.size()) == channels;
  PENSTOCK_CHECK(fits, ArgumentError,
                 "Multi-channel fill value does not match the number of channels in the output: {} values, {} channels",
                 fills.size(), channels);
}

ElementView placed_view(Sample& s, const Placement& placement) {
  const TensorDesc& input = s.in(0).tensor;
  ElementView view;
  for (int i = 0; i < input.shape.ndim(); ++i) {
    const int axis = placement.order[static_cast<size_t>(i)];
    const int64_t wanted = s.out(0).held.begin(i), held = s.in(0).held.begin(axis);
    const bool mirrored = placement.mirrored[static_cast<size_t>(axis)];
    const int64_t first = mirrored ? placement.window.extent[axis] - 1 - wanted : wanted;
    view.axis[static_cast<size_t>(i)] = axis;
    view.step[static_cast<size_t>(i)] = mirrored ? -1 : 1;
    view.start[static_cast<size_t>(axis)] = placement.window.anchor[axis] + first - held;
  }
  return view;
}

const kernels::GatherMap& map_sample(Sample& s, PlacedState& state) {
  const PlacedState::Mapped now{state.placement, s.in(0).tensor, s.in(0).held, s.out(0).held};
  if (state.mapped != now) {
    state.mapped.reset();
    map_placement(now.placement, now.input, now.held, now.wanted, state.map);
    state.map.finish();
    state.mapped = now;
    ++state.map_number;
  }
  return state.map;
}

void describe_placed(Sample& s, PlacedState& state, std::span<const float> fills, device::Staging& staging,
                     kernels::GatherJob& job) {
  kernels::GatherMap& map = state.map;
  state.mapped.reset();
  map_placement(state.placement, s.in(0).tensor, s.in(0).held, s.out(0).held, map);
  PENSTOCK_CHECK(map.ndim() <= kernels::kGatherAxes, ArgumentError, "on a GPU at most {} axes can be cut, got {}",
                 kernels::kGatherAxes, map.ndim());
  job.ndim = map.ndim();
  int64_t channels = 1;
  for (int axis = 0; axis < map.ndim(); ++axis) {
    const std::span<const int64_t> offsets = map.offsets(axis);
    std::vector<int32_t>& narrow = state.offsets;
    narrow.clear();
    for (const int64_t offset : offsets) {
      PENSTOCK_CHECK(offset <= INT32_MAX, ArgumentError, "on a GPU an input may have 2^31 elements, not more");
      narrow.push_back(static_cast<int32_t>(offset));
    }
    job.extents[axis] = static_cast<int32_t>(offsets.size());
    job.offsets[axis] = staging.put(std::span<const int32_t>(narrow));
    if (!map.is_channel(axis)) continue;
    job.channel_axis = axis;
    channels = static_cast<int64_t>(offsets.size());
  }
  if (fills.empty()) return;
  check_fills(fills, channels);
  const std::vector<float> all(static_cast<size_t>(channels), fills[0]);
  job.fills = staging.put(fills.size() == 1 ? std::span<const float>(all) : fills);
}

void run_placed(Sample& s, PlacedState& state, std::span<const float> fills) {
  const TensorDesc& input = s.in(0).tensor;
  const kernels::GatherMap& map = map_sample(s, state);
  dispatch_all(input.dtype, [&](auto in) {
    using In = typename decltype(in)::type;
    if (s.out(0).tensor.dtype == input.dtype) return convert_rows<In, In>(s, map, fills);
    dispatch_among<uint8_t, float16, float>(
        s.out(0).tensor.dtype, [&](auto out) { convert_rows<In, typename decltype(out)::type>(s, map, fills); });
  });
}

}  // namespace penstock
