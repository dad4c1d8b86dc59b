// The window arguments of slices: named start, end and shape, or two more inputs (slice, decoders.image_slice).
#pragma once

#include <string>
#include <vector>

#include "ops/image/crop_window.h"
#include "schema/sample.h"

namespace penstock {

struct SliceArgs {
  std::vector<int64_t> start, end, shape;
  std::vector<float> rel_start, rel_end, rel_shape;
  std::vector<int64_t> axes = {1, 0};
  std::string axis_names = "WH";
  bool normalized_anchor = true, normalized_shape = true;
};

/// The arguments of a slice of one sample, with what was said before any sample was seen.
class SliceWindow {
 public:
  /// @throws ArgumentError when arguments exclude each other, or none says what to slice.
  explicit SliceWindow(const OpSpec& spec);
  SliceWindow() = default;

  /// The window in `input`; inputs 1 and 2 of `s` are anchor and shape when they were given.
  /// @throws ArgumentError for wrong axes or lengths, negative sizes, an end before the start.
  CropWindow operator()(const SliceArgs& args, const Sample& s, const TensorDesc& input) const;

 private:
  bool positional_ = false, use_axes_ = false;
};

/// Describes the inputs and arguments of a slice. SliceArgs is a base of the operator's own arguments.
template <class B>
B& add_slice_args(B& builder) {
  return builder.input("anchor", {}, "Where the window starts; floats are relative, integers absolute.")
      .holds("nothing")  // another spelling of `start` and `shape`
      .optional()
      .reads_data()
      .input("shape_input", {}, "How large the window is; same type as the anchor.")
      .holds("nothing")
      .optional()
      .reads_data()
      .arg("start", &SliceArgs::start, "Where the window starts, per axis.", kPerSample)
      .arg("rel_start", &SliceArgs::rel_start, "Where the window starts, as fractions of the extents.", kPerSample)
      .arg("end", &SliceArgs::end, "Where the window ends, per axis.", kPerSample)
      .arg("rel_end", &SliceArgs::rel_end, "Where the window ends, as fractions of the extents.", kPerSample)
      .arg("shape", &SliceArgs::shape, "How large the window is, per axis.", kPerSample)
      .arg("rel_shape", &SliceArgs::rel_shape, "How large the window is, as fractions of the extents.", kPerSample)
      .arg("axes", &SliceArgs::axes,
           "Axes that the values belong to, in that order; all for an empty list. Excludes `axis_names`.", kPerSample)
      .arg("axis_names", &SliceArgs::axis_names,
           "Letters of the layout that the values belong to, in that order; \"\" for all axes.")
      .arg("normalized_anchor", &SliceArgs::normalized_anchor,
           "Whether a float input `anchor` is relative to the extents.")
      .arg("normalized_shape", &SliceArgs::normalized_shape,
           "Whether a float input `shape` is relative to the extents.");
}

}  // namespace penstock
