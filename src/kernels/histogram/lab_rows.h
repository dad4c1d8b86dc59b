// Pixels to L*a*b* and back on the CPU, with the rules of lab.h.
#pragma once

#include <cstdint>

#include "kernels/histogram/lab.h"

namespace penstock::kernels {

/// `lab` has three planes of `pixels` bytes each: lightness, a, b.
void rgb_to_lab(const LabTables& tables, const uint8_t* rgb, int64_t pixels, uint8_t* lab);
void lab_to_rgb(const LabTables& tables, const uint8_t* lab, int64_t pixels, uint8_t* rgb);

}  // namespace penstock::kernels
