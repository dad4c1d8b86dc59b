#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.h"
#include "core/convert.h"
#include "kernels/elements/erase.h"
#include "kernels/elements/values.h"
#include "ops/axes.h"
#include "ops/base/elementwise.h"

namespace penstock {
namespace {

struct EraseArgs {
  std::vector<float> anchor, shape, fill_value = {0};
  std::string axis_names = "HW";
  std::vector<int64_t> axes;
  bool normalized = false, centered_anchor = false;
  std::optional<bool> normalized_anchor, normalized_shape;
};

struct EraseState {
  std::vector<int64_t> boxes;  // [box][begin and end][axis]
  std::vector<double> fills;
  int channel_axis = -1;
};

class Erase final : public ElementwiseOperator<EraseArgs, EraseState> {
 public:
  Erase() { traits_.goes_by_descriptors = false; }  // boxes pass from infer to run
  void setup() override {
    const bool both =
        spec().given("normalized") && (spec().given("normalized_anchor") || spec().given("normalized_shape"));
    PENSTOCK_CHECK(!both, ArgumentError,
                   "`normalized` excludes `normalized_anchor` and `normalized_shape`; give it or these");
    by_number_ = spec().given("axes") && !spec().given("axis_names");
  }

  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    const kernels::EraseTable table = table_of(s);
    const std::byte* in = dense_part(s, 0, s.wanted(0));
    dispatch_all(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = reinterpret_cast<const T*>(in);
      T* to = out.as<T>();
      std::copy_n(from, cut(out, s.wanted(0)).shape.volume(), to);
      for (int box = table.count; box-- > 0;) fill_box(out, s.wanted(0), table, box, to);  // the first one counts
    });
  }

 private:
  DType made_type(const Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    EraseState& state = this->state(s);
    state.channel_axis = in.layout.find('C');
    const std::vector<float>& fills = args(s).fill_value;
    const int64_t channels = state.channel_axis < 0 ? 1 : in.shape[state.channel_axis];
    PENSTOCK_CHECK(fills.size() == 1 || static_cast<int64_t>(fills.size()) == channels, ArgumentError,
                   "`fill_value` needs one value, or one for each of {} channels, got {}", channels, fills.size());
    if (fills.size() == 1) state.channel_axis = -1;
    state.fills.assign(fills.begin(), fills.end());
    place_boxes(args(s), in, by_number_, state.boxes);
    return in.dtype;
  }

  /// Boxes that the arguments tell, cut down to the tensor.
  static void place_boxes(const EraseArgs& a, const TensorDesc& in, bool by_number, std::vector<int64_t>& boxes) {
    const AxisList axes = by_number ? axes_in(a.axes, in) : axes_named(a.axis_names, in);
    const auto count = static_cast<size_t>(axes.count);
    PENSTOCK_CHECK(count > 0, ArgumentError, "`{}` must name at least one axis", by_number ? "axes" : "axis_names");
    PENSTOCK_CHECK(a.shape.size() % count == 0 && (a.anchor.empty() || a.anchor.size() == a.shape.size()),
                   ArgumentError, "`anchor` and `shape` need as many numbers, {} for each box, got {} and {}", count,
                   a.anchor.size(), a.shape.size());
    boxes.clear();
    for (size_t first = 0; first < a.shape.size(); first += count) {
      const size_t at = boxes.size(), ndim = static_cast<size_t>(in.shape.ndim());
      boxes.resize(at + ndim, 0);
      boxes.insert(boxes.end(), in.shape.begin(), in.shape.end());
      for (size_t k = 0; k < count; ++k) {
        const int axis = axes.axes[k];
        const int64_t extent = in.shape[axis];
        const float size = a.shape[first + k], from = a.anchor.empty() ? 0 : a.anchor[first + k];
        const auto [begin, end] = range(a, from, size, extent);
        boxes[at + static_cast<size_t>(axis)] = std::clamp<int64_t>(begin, 0, extent);
        boxes[at + ndim + static_cast<size_t>(axis)] = std::clamp<int64_t>(end, 0, extent);
      }
    }
  }
  static std::pair<int64_t, int64_t> range(const EraseArgs& a, float anchor, float shape, int64_t extent) {
    PENSTOCK_CHECK(std::isfinite(anchor) && std::isfinite(shape), ArgumentError,
                   "`anchor` and `shape` must be finite, got {} and {}", anchor, shape);
    const auto all = static_cast<float>(extent);
    if (a.normalized_shape.value_or(a.normalized)) shape *= all;
    if (a.normalized_anchor.value_or(a.normalized)) anchor *= all;
    if (a.centered_anchor) anchor -= shape / 2;
    const float limit = 0x1p40f;
    const auto whole = [&](float x) { return static_cast<int64_t>(std::clamp(x, -limit, limit)); };
    return {whole(anchor), whole(anchor + shape)};
  }

  template <class T>
  static void fill_box(const TensorDesc& out, const Region& held, const kernels::EraseTable& table, int box, T* to) {
    const Shape part = cut(out, held).shape;
    const kernels::Strides strides = kernels::dense_strides(part);
    const int64_t* ends = table.boxes + box * 2 * table.ndim;
    Shape begin, end;
    for (int axis = 0; axis < table.ndim; ++axis) {
      const int64_t start = held.begin(axis);
      begin.push_back(std::clamp<int64_t>(ends[axis] - start, 0, part[axis]));
      end.push_back(std::clamp<int64_t>(ends[table.ndim + axis] - start, 0, part[axis]));
    }
    int joined = table.ndim - 1;
    while (joined > 0 && begin[joined] == 0 && end[joined] == part[joined]) --joined;
    const double fill = table.channel_axis < 0 ? table.fills[0] : 0;
    fill_axis(Box{begin, end, strides, joined}, table, 0, to, fill);
  }

  /// Behind the axis `joined` the box covers all: its part of that axis lies in one piece.
  struct Box {
    Shape begin, end;
    kernels::Strides strides;
    int joined;
  };
  template <class T>
  static void fill_axis(const Box& box, const kernels::EraseTable& table, int axis, T* to, double fill) {
    if (axis == table.ndim) {
      *to = convert_sat<T>(fill);
      return;
    }
    const int64_t stride = box.strides[static_cast<size_t>(axis)], count = box.end[axis] - box.begin[axis];
    T* const first = to + box.begin[axis] * stride;
    if (axis == table.channel_axis || axis < box.joined) {
      for (int64_t i = 0; i < count; ++i)
        fill_axis(box, table, axis + 1, first + i * stride,
                  axis == table.channel_axis ? table.fills[box.begin[axis] + i] : fill);
    } else if (count > 0) {
      fill_axis(box, table, axis + 1, first, fill);
      repeat(first, stride, count * stride);
    }
  }
  /// Repeats the first `part` elements until there are `all`.
  template <class T>
  static void repeat(T* first, int64_t part, int64_t all) {
    for (int64_t made = part; made < all; made *= 2) std::copy_n(first, std::min(made, all - made), first + made);
  }

  kernels::EraseTable table_of(const Sample& s) const {
    const EraseState& state = this->state(s);
    const Shape& shape = s.in(0).tensor.shape;
    const int ndim = shape.ndim();
    kernels::EraseTable table{.boxes = state.boxes.data(), .fills = state.fills.data(), .ndim = ndim};
    table.count = ndim == 0 ? 0 : static_cast<int32_t>(state.boxes.size()) / (2 * ndim);
    table.channel_axis = state.channel_axis;
    std::copy(shape.begin(), shape.end(), table.extents);
    table.narrow = shape.volume() <= int64_t{UINT32_MAX};
    find_ends(table);
    return table;
  }
  /// The first and the last element that lies in a box; none where the first is behind the last.
  static void find_ends(kernels::EraseTable& table) {
    table.first = ~uint64_t{0};
    for (int32_t box = 0; box < table.count; ++box) {
      const int64_t *begin = table.boxes + box * 2 * table.ndim, *end = begin + table.ndim;
      uint64_t first = 0, last = 0;
      bool empty = false;
      for (int axis = 0; axis < table.ndim; ++axis) {
        const auto extent = static_cast<uint64_t>(table.extents[axis]);
        first = first * extent + static_cast<uint64_t>(begin[axis]);
        last = last * extent + static_cast<uint64_t>(end[axis] - 1);
        empty = empty || begin[axis] >= end[axis];
      }
      if (empty) continue;
      table.first = std::min(table.first, first);
      table.last = std::max(table.last, last);
    }
  }
  /// Joins axes that all boxes fill to the ones before them: a GPU then divides and compares less.
  /// @return the boxes of the table's new axes
  static std::vector<int64_t> join_filled_axes(kernels::EraseTable& table) {
    std::vector<int64_t> boxes(table.boxes, table.boxes + int64_t{2} * table.count * table.ndim);
    for (int axis = table.ndim - 1; axis > 0; --axis) {
      const int64_t extent = table.extents[axis];
      bool filled = axis != table.channel_axis && axis - 1 != table.channel_axis;
      for (size_t end = 0; end < boxes.size(); end += 2 * static_cast<size_t>(table.ndim))
        filled = filled && boxes[end + axis] == 0 && boxes[end + table.ndim + axis] == extent;
      if (!filled) continue;
      for (size_t side = 0; side < boxes.size(); side += table.ndim) boxes[side + axis - 1] *= extent;
      for (size_t side = boxes.size(); side > 0; side -= table.ndim)
        boxes.erase(boxes.begin() + static_cast<int64_t>(side - table.ndim + axis));
      table.extents[axis - 1] *= extent;
      std::copy(table.extents + axis + 1, table.extents + table.ndim, table.extents + axis);
      if (table.channel_axis > axis) --table.channel_axis;
      --table.ndim;
    }
    return boxes;
  }
  void change(Sample& s, device::Staging& staging, ElementWork& work) const override {
    kernels::EraseTable table = table_of(s);
    const std::vector<int64_t> boxes = join_filled_axes(table);
    table.boxes = staging.put(std::span<const int64_t>(boxes));
    table.fills = staging.put(std::span<const double>(state(s).fills));
    const DType real = kernels::real_type(s.out(0).tensor.dtype);
    work.convert(real);
    work.add({.step = kernels::Step::kErase,
              .operand = numbers_of(s.out(0), -1, work),
              .type = real,
              .immediate = {ElementWork::address(staging.put(std::span<const kernels::EraseTable>(&table, 1)))}},
             real);
  }

  bool by_number_ = false;
};

}  // namespace

[[gnu::cold]] void register_erase(Registry& r) {
  r.add<Erase>("erase")
      .doc("Fills one or more boxes of each sample. Boxes that stick out of a sample are cut down to it.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("erased", "Shape, type and layout of the input.")
      .arg("anchor", &EraseArgs::anchor,
           "Where boxes begin: a number for each axis that is named, box after box. Zero when not given.", kPerSample)
      .arg("shape", &EraseArgs::shape, "Extents of the boxes, likewise.", kPerSample)
      .arg("fill_value", &EraseArgs::fill_value, "Value in the boxes: one, or one for each channel.", kPerSample)
      .arg("axis_names", &EraseArgs::axis_names, "Axes that `anchor` and `shape` speak of; others are filled whole.")
      .arg("axes", &EraseArgs::axes, "The same by number; `axis_names` takes precedence.")
      .arg("normalized", &EraseArgs::normalized, "Whether `anchor` and `shape` are in parts of the sample's extents.")
      .arg("normalized_anchor", &EraseArgs::normalized_anchor, "Whether `anchor` is. Excludes `normalized`.")
      .arg("normalized_shape", &EraseArgs::normalized_shape, "Whether `shape` is. Excludes `normalized`.")
      .arg("centered_anchor", &EraseArgs::centered_anchor, "Whether `anchor` is the centre of a box.")
      .example({{"anchor", {1, 2}}, {"shape", {3, 4}}, {"axes", {0, 1}}});
}

}  // namespace penstock
