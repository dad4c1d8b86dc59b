#include "kernels/components/components.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "core/dispatch.h"

namespace penstock::kernels {
namespace {

/// The first element behind `at` that differs from it, or `end`. Compares eight bytes at a time.
template <class T>
const T* end_of_run(const T* at, const T* end) {
  static_assert(std::endian::native == std::endian::little);
  constexpr int kInWord = 8 / sizeof(T);
  const T label = *at++;
  uint64_t same = 0;
  for (int i = 0; i < kInWord; ++i) std::memcpy(reinterpret_cast<std::byte*>(&same) + i * sizeof(T), &label, sizeof(T));
  for (; end - at >= kInWord; at += kInWord) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    if (word != same) return at + std::countr_zero(word ^ same) / static_cast<int>(8 * sizeof(T));
  }
  while (at < end && *at == label) ++at;
  return at;
}

/// A row that is visited before its neighbour.
struct Neighbour {
  std::array<int8_t, kMaxDims> step{};  ///< along the axes of rows
  int64_t rows = 0;                     ///< how many rows before
  int32_t reach = 0;                    ///< 1 where runs also touch across a corner
};

/// All steps to rows before that one, along at most `connectivity` axes.
std::vector<Neighbour> neighbours_of(const Shape& shape, int connectivity) {
  const int axes = shape.ndim() - 1;
  std::vector<Neighbour> list;
  Neighbour one;
  const auto extend = [&](const auto& self, int axis, int used, int64_t rows, int64_t stride) -> void {
    if (axis < 0) {
      if (rows >= 0) return;
      one.rows = -rows;
      one.reach = used < connectivity ? 1 : 0;
      list.push_back(one);
      return;
    }
    for (int step = -1; step <= 1; ++step) {
      if (step != 0 && used == connectivity) continue;
      one.step[static_cast<size_t>(axis)] = static_cast<int8_t>(step);
      self(self, axis - 1, used + (step != 0), rows + step * stride, stride * shape[axis]);
    }
    one.step[static_cast<size_t>(axis)] = 0;
  };
  extend(extend, axes - 1, 0, 0, 1);
  return list;
}

template <class Fn>
void dispatch_labels(DType dtype, Fn&& fn) {
  dispatch_among<uint8_t, int32_t, int64_t, uint16_t, int16_t, int8_t, uint32_t, uint64_t, bool>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // A bool that is neither 0 nor 1 would be undefined behaviour.
    fn(Tag<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>{});
  });
}

}  // namespace

double Component::volume(int ndim) const {
  double volume = 1;
  for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) volume *= end[axis] - begin[axis];
  return volume;
}

Components::Components(const TensorView& labels, int connectivity, std::optional<int64_t> background)
    : shape_(labels.shape) {
  if (shape_.ndim() == 0) shape_.push_back(1);
  for (const int64_t extent : shape_)
    PENSTOCK_CHECK(extent < INT32_MAX && shape_.volume() < INT32_MAX, ArgumentError,
                   "a label map may have fewer than 2^31 elements, got the shape {}", to_string(labels.shape));
  row_length_ = shape_[shape_.ndim() - 1];
  rows_ = row_length_ == 0 ? 0 : shape_.volume() / row_length_;
  dispatch_labels(labels.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* data = reinterpret_cast<const T*>(labels.data);
    find_runs(data, background);
    unite_rows(data, connectivity);
    number(data);
  });
}

template <class T>
void Components::find_runs(const T* labels, std::optional<int64_t> background) {
  const bool leaves_out = background && std::in_range<T>(*background);
  const T left_out = leaves_out ? static_cast<T>(*background) : T{};
  first_.reserve(static_cast<size_t>(rows_) + 1);
  for (int64_t row = 0; row < rows_; ++row) {
    first_.push_back(static_cast<int32_t>(runs_.size()));
    const T *begin = labels + row * row_length_, *end = begin + row_length_;
    for (const T* at = begin; at < end;) {
      const T* next = end_of_run(at, end);
      if (!leaves_out || *at != left_out)
        runs_.push_back(
            {static_cast<int32_t>(at - begin), static_cast<int32_t>(next - begin), static_cast<int32_t>(runs_.size())});
      at = next;
    }
  }
  first_.push_back(static_cast<int32_t>(runs_.size()));
}

template <class T>
void Components::unite_rows(const T* labels, int connectivity) {
  const std::vector<Neighbour> neighbours = neighbours_of(shape_, connectivity);
  const int axes = shape_.ndim() - 1;
  std::array<int64_t, kMaxDims> place{};
  for (int64_t row = 0; row < rows_; ++row) {
    for (const Neighbour& neighbour : neighbours) {
      bool inside = true;
      for (size_t axis = 0; axis < static_cast<size_t>(axes); ++axis) {
        const int64_t at = place[axis] + neighbour.step[axis];
        inside = inside && at >= 0 && at < shape_[static_cast<int>(axis)];
      }
      if (inside) touch(labels, row, row - neighbour.rows, neighbour.reach);
    }
    for (int axis = axes - 1; axis >= 0 && ++place[static_cast<size_t>(axis)] == shape_[axis]; --axis)
      place[static_cast<size_t>(axis)] = 0;
  }
}

template <class T>
void Components::touch(const T* labels, int64_t row, int64_t other, int32_t reach) {
  const T *here = labels + row * row_length_, *there = labels + other * row_length_;
  const int32_t end = first_[static_cast<size_t>(row) + 1], other_end = first_[static_cast<size_t>(other) + 1];
  int32_t first = first_[static_cast<size_t>(other)];
  for (int32_t run = first_[static_cast<size_t>(row)]; run < end; ++run) {
    const Run r = runs_[static_cast<size_t>(run)];
    while (first < other_end && runs_[static_cast<size_t>(first)].end + reach <= r.begin) ++first;
    for (int32_t k = first; k < other_end && runs_[static_cast<size_t>(k)].begin < r.end + reach; ++k)
      if (here[r.begin] == there[runs_[static_cast<size_t>(k)].begin]) unite(run, k);
  }
}

int32_t Components::root(int32_t run) {
  for (;;) {
    int32_t& parent = runs_[static_cast<size_t>(run)].parent;
    if (parent == run) return run;
    parent = runs_[static_cast<size_t>(parent)].parent;
    run = parent;
  }
}

void Components::unite(int32_t a, int32_t b) {
  a = root(a);
  b = root(b);
  if (a != b) runs_[static_cast<size_t>(std::max(a, b))].parent = std::min(a, b);
}

template <class T>
void Components::number(const T* labels) {
  std::array<int32_t, kMaxDims> place{};
  const size_t last = static_cast<size_t>(shape_.ndim()) - 1;
  for (int64_t row = 0; row < rows_; ++row) {
    int64_t rest = row;
    for (size_t axis = last; axis-- > 0; rest /= shape_[static_cast<int>(axis)])
      place[axis] = static_cast<int32_t>(rest % shape_[static_cast<int>(axis)]);
    const int32_t end = first_[static_cast<size_t>(row) + 1];
    for (int32_t i = first_[static_cast<size_t>(row)]; i < end; ++i) {
      Run& run = runs_[static_cast<size_t>(i)];
      // Roots have the lowest number of their component, so `parent` has been turned into the component's already.
      const bool begins = run.parent == i;
      run.parent = begins ? static_cast<int32_t>(list_.size()) : runs_[static_cast<size_t>(run.parent)].parent;
      place[last] = run.begin;
      if (begins) list_.push_back({static_cast<int64_t>(labels[row * row_length_ + run.begin]), place, place});
      Component& component = list_[static_cast<size_t>(run.parent)];
      for (size_t axis = 0; axis <= last; ++axis) {
        component.begin[axis] = std::min(component.begin[axis], place[axis]);
        component.end[axis] = std::max(component.end[axis], axis == last ? run.end : place[axis] + 1);
      }
    }
  }
}

void Components::paint(int32_t* numbers) const {
  for (int64_t row = 0; row < rows_; ++row) {
    int32_t *at = numbers + row * row_length_, *end = at + row_length_, *begin = at;
    for (int32_t i = first_[static_cast<size_t>(row)]; i < first_[static_cast<size_t>(row) + 1]; ++i) {
      const Run& run = runs_[static_cast<size_t>(i)];
      std::fill(at, begin + run.begin, 0);
      std::fill(begin + run.begin, begin + run.end, run.parent + 1);
      at = begin + run.end;
    }
    std::fill(at, end, 0);
  }
}

}  // namespace penstock::kernels
