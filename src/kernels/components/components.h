// Connected components of label maps of any rank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <penstock/tensor.h>

namespace penstock::kernels {

/// One component: its label, and the box that holds it, [begin, end) along each axis.
struct Component {
  int64_t label = 0;
  std::array<int32_t, kMaxDims> begin{}, end{};
  /// Of the box, not of the component.
  double volume(int ndim) const;
};

/// The components of a dense tensor of integers or bools: sets of neighbours with equal labels. Rows (of the last axis)
/// are cut into runs of equal labels, and runs that touch are united, so the work grows with the number of runs.
class Components {
 public:
  /// @param connectivity neighbours differ by at most 1 along at most so many axes; 1 to the number of axes
  /// @param background elements of this label belong to no component
  /// @throws TypeError for other types, ArgumentError for extents of 2^31 and more
  Components(const TensorView& labels, int connectivity, std::optional<int64_t> background);

  /// In the order of their first elements.
  const std::vector<Component>& list() const { return list_; }
  /// Writes the number of each element's component, counted from 1; 0 for the background.
  void paint(int32_t* numbers) const;

 private:
  struct Run {
    int32_t begin, end;
    int32_t parent;  // a run of the same component with a lower number, or itself; at last, the component
  };

  template <class T>
  void find_runs(const T* labels, std::optional<int64_t> background);
  template <class T>
  void unite_rows(const T* labels, int connectivity);
  template <class T>
  void touch(const T* labels, int64_t row, int64_t other, int32_t reach);
  template <class T>
  void number(const T* labels);
  int32_t root(int32_t run);
  void unite(int32_t a, int32_t b);

  Shape shape_;
  int64_t rows_ = 0, row_length_ = 0;
  std::vector<Run> runs_;
  std::vector<int32_t> first_;  // of each row, and the number of all
  std::vector<Component> list_;
};

}  // namespace penstock::kernels
