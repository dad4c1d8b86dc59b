#include <algorithm>

#include "core/check.h"
#include "kernels/components/components.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ConnectedComponentsArgs {
  int64_t background = 0, connectivity = 1;
};

class ConnectedComponents final : public SampleOperator<ConnectedComponentsArgs> {
 public:
  ConnectedComponents() { traits_.goes_by_descriptors = true; }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const int64_t connectivity = args(s).connectivity;
    PENSTOCK_CHECK(connectivity >= 1 && connectivity <= std::max(in.shape.ndim(), 1), ArgumentError,
                   "`connectivity` must lie between 1 and the number of axes, {}; got {}", in.shape.ndim(),
                   connectivity);
    s.out(0).describe({.dtype = DType::kInt32, .shape = in.shape, .layout = in.layout});
    s.out(1).describe({.dtype = DType::kInt32, .shape = {}, .layout = {}});
  }
  void run(Sample& s) const override {
    const kernels::Components found(s.in(0).tensor, static_cast<int>(args(s).connectivity), args(s).background);
    found.paint(s.out(0).tensor.as<int32_t>());
    *s.out(1).tensor.as<int32_t>() = static_cast<int32_t>(found.list().size());
  }
};

}  // namespace

[[gnu::cold]] void register_connected_components(Registry& r) {
  r.add<ConnectedComponents>("connected_components")
      .doc(
          "Numbers the connected components of a label map: sets of neighbours of equal label, counted from 1 in the "
          "order of their first elements.")
      .input("labels", {}, "Label map of any number of axes: integers or bools.")
      .output("components", "int32, shape and layout of the input: each element's component, 0 for the background.")
      .output("count", "int32 scalar: how many there are.")
      .arg("background", &ConnectedComponentsArgs::background, "Label that belongs to no component.", kPerSample)
      .arg("connectivity", &ConnectedComponentsArgs::connectivity,
           "Neighbours differ by at most 1 along at most so many axes: of pictures, 1 means four neighbours and 2 "
           "eight. As in scipy.ndimage.generate_binary_structure.",
           kPerSample)
      .host_only("follows components from row to row, which is no work for many threads")
      .differs("DALI has no such operator.");
}

}  // namespace penstock
