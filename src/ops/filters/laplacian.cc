#include <cmath>

#include "ops/base/separable.h"

namespace penstock {
namespace {

struct LaplacianArgs {
  std::vector<int64_t> window_size = {3};
  std::vector<int64_t> smoothing_size;
  std::vector<float> scale = {1};
  bool normalized_kernel = false;
  std::optional<DType> dtype;
};

/// Binomial coefficients: the smoothing window of that size.
std::vector<double> binomials(int64_t size) {
  std::vector<double> row = {1};
  while (static_cast<int64_t>(row.size()) < size) {
    row.push_back(0);
    for (size_t k = row.size() - 1; k > 0; --k) row[k] += row[k - 1];
  }
  return row;
}

/// The second difference 1, -2, 1 of a smoothed line.
std::vector<double> second_differences(int64_t size) {
  const std::vector<double> smooth = binomials(size - 2);
  std::vector<double> window(static_cast<size_t>(size));
  for (size_t k = 0; k < smooth.size(); ++k) {
    window[k] += smooth[k];
    window[k + 1] -= 2 * smooth[k];
    window[k + 2] += smooth[k];
  }
  return window;
}

void assign(const std::vector<double>& from, double factor, std::vector<float>& to) {
  to.resize(from.size());
  for (size_t k = 0; k < from.size(); ++k) to[k] = static_cast<float>(from[k] * factor);
}

class Laplacian final : public SeparableOperator<LaplacianArgs> {
 public:
  void setup() override {
    PENSTOCK_CHECK(!constants().normalized_kernel || !spec().given("scale"), ArgumentError,
                   "`scale` and `normalized_kernel` are mutually exclusive; give one of them");
  }

 private:
  void windows(const Sample& s, int axes, std::vector<Windows>& terms) const override {
    terms.resize(static_cast<size_t>(axes));
    for (int derived = 0; derived < axes; ++derived) {
      const int64_t size =
          checked("Window size", along<int64_t>("window_size", args(s).window_size, derived, axes, 3), 3);
      int64_t sizes = size;
      for (int axis = 0; axis < axes; ++axis)
        if (axis != derived) sizes += smoothing(s, axis, axes, size);
      const double factor = args(s).normalized_kernel ? std::exp2(static_cast<double>(axes + 2 - sizes))
                                                      : along<float>("scale", args(s).scale, derived, axes, 1);
      for (int axis = 0; axis < axes; ++axis) {
        auto& window = terms[static_cast<size_t>(derived)][static_cast<size_t>(axis)];
        if (axis == derived)
          assign(second_differences(size), factor, window);
        else
          assign(binomials(smoothing(s, axis, axes, size)), 1, window);
      }
    }
  }
  /// @param derived size of the window along the derived axis
  int64_t smoothing(const Sample& s, int axis, int axes, int64_t derived) const {
    const std::vector<int64_t>& sizes = args(s).smoothing_size;
    if (sizes.empty()) return derived;
    return checked("Smoothing window size", along<int64_t>("smoothing_size", sizes, axis, axes, 1), 1);
  }
  static constexpr int64_t kMostTaps = 31;  // as in DALI
  static int64_t checked(const char* name, int64_t size, int64_t least) {
    PENSTOCK_CHECK(size >= least && size <= kMostTaps && size % 2 == 1, ArgumentError,
                   "{} must be an odd integer between {} and {}, got {}", name, least, kMostTaps, size);
    return size;
  }
};

}  // namespace

[[gnu::cold]] void register_laplacian(Registry& r) {
  r.add<Laplacian>("laplacian")
      .doc(
          "Sums the second derivatives along all axes but channels and frames. Each is a separable convolution: second "
          "differences along its axis, binomial smoothing along the others. Borders are as in `gaussian_blur`.")
      .input("data", {}, "Any type but bool; channels first or last. Without a layout all axes count.")
      .output("laplacian", "Shape and layout of the input, its type or FLOAT.")
      .arg("window_size", &LaplacianArgs::window_size,
           "Odd size of the window along the derived axis, 3 to 31: one, or one for each axis, outermost first.",
           kPerSample)
      .arg("smoothing_size", &LaplacianArgs::smoothing_size,
           "Odd size of the windows along the other axes, 1 (none) to 31, likewise; that of the derived axis when not "
           "given.",
           kPerSample)
      .arg("scale", &LaplacianArgs::scale, "Factor of each derivative: one, or one for each axis.", kPerSample)
      .arg("normalized_kernel", &LaplacianArgs::normalized_kernel,
           "Scales each derivative by 2^(n + 2 - s), n the number of axes and s the sum of its windows' sizes. "
           "Excludes `scale`.")
      .arg("dtype", &LaplacianArgs::dtype, "FLOAT, or the input's type, which it is when not given.")
      .tolerance(1);
}

}  // namespace penstock
