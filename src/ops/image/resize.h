// Arguments of resize and its relatives.
#pragma once

#include "ops/image/resample_image.h"

namespace penstock {

struct ResizeArgs : ResizeSizeArgs, FilterArgs {
  bool save_attrs = false;
};

}  // namespace penstock
