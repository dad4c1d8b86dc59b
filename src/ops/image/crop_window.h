// The window arguments shared by every operator that crops: how large, and where (crop, crop_mirror_normalize,
// resize_crop_mirror, decoders.image_crop).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <penstock/tensor.h>

#include "schema/schema.h"

namespace penstock {

struct CropArgs {
  std::vector<float> crop;
  std::optional<float> crop_h, crop_w, crop_d;
  float crop_pos_x = 0.5f, crop_pos_y = 0.5f, crop_pos_z = 0.5f;
  std::string rounding = "round";
};

/// A box of a tensor, one entry per axis. It may stick out of the tensor on any side.
struct CropWindow {
  Shape anchor, extent;
  friend bool operator==(const CropWindow&, const CropWindow&) = default;
};

/// The box that holds all of `input`.
CropWindow whole_window(const Shape& input);

/// Rows and columns of the window: its H and W axes; {0, 0, 1, 1} along axes that the layout lacks, as whole() says.
PlaneRegion plane_region(const CropWindow& window, const Layout& layout);

/// Where the arguments put the window. Axes H, W and D (F where there is no D) of `input`'s layout are cut; all others
/// stay whole, as do axes whose extent is absent or not positive.
/// @throws ArgumentError for contradicting arguments, a position outside [0, 1] or an unknown rounding.
CropWindow crop_window(const CropArgs& args, const TensorDesc& input);

/// Checks what can be checked before any sample is seen; for `setup`.
/// @throws ArgumentError
void check_crop_args(const OpSpec& spec, const CropArgs& args);

/// Describes the arguments of CropArgs, from which the operator's own arguments derive.
template <class B>
B& add_crop_args(B& builder) {
  return builder
      .arg("crop", &CropArgs::crop,
           "Extent of the window as (height, width) or (depth, height, width); fractions are dropped. Excludes "
           "`crop_h`, `crop_w` and `crop_d`.",
           kPerSample)
      .arg("crop_h", &CropArgs::crop_h, "Height of the window; 0 keeps all. Needs `crop_w`.", kPerSample)
      .arg("crop_w", &CropArgs::crop_w, "Width of the window; 0 keeps all. Needs `crop_h`.", kPerSample)
      .arg("crop_d", &CropArgs::crop_d, "Depth of the window, or its frames where there is no depth axis; 0 keeps all.",
           kPerSample)
      .arg("crop_pos_x", &CropArgs::crop_pos_x, "Where the window lies: 0 at the left edge, 1 at the right.",
           kPerSample)
      .arg("crop_pos_y", &CropArgs::crop_pos_y, "Where the window lies: 0 at the top, 1 at the bottom.", kPerSample)
      .arg("crop_pos_z", &CropArgs::crop_pos_z, "Where the window lies along the depth (or the frames): 0 first.",
           kPerSample)
      .arg("rounding", &CropArgs::rounding,
           "How a window's position becomes whole pixels: \"round\" (half away from zero) or \"truncate\".");
}

}  // namespace penstock
