#include "kernels/histogram/lab.h"

#include <array>
#include <cmath>

namespace penstock::kernels {
namespace {

struct Tables {
  std::array<uint16_t, 256> linear;
  std::array<uint16_t, kLabRoots> root;
  std::array<uint8_t, kLabGammas> gamma;
  LabTables view;

  Tables() : view{linear.data(), root.data(), gamma.data()} {
    for (size_t i = 0; i < linear.size(); ++i) {
      const double x = static_cast<double>(i) / 255;
      const double intensity = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
      linear[i] = static_cast<uint16_t>(std::lround(2040 * intensity));
    }
    for (size_t i = 0; i < root.size(); ++i) {
      const double x = static_cast<double>(i) / 2040;
      const double made = x < 216.0 / 24389 ? x * 841 / 108 + 16.0 / 116 : std::cbrt(x);
      root[i] = static_cast<uint16_t>(std::lround(32768 * made));
    }
    for (size_t i = 0; i < gamma.size(); ++i) {
      const double x = static_cast<double>(i) / (kLabGammas - 1);
      const double made = x <= 0.0031308 ? x * 12.92 : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
      gamma[i] = static_cast<uint8_t>(std::lround(255 * made));
    }
  }
};

}  // namespace

const LabTables& lab_tables() {
  static const Tables tables;
  return tables.view;
}

}  // namespace penstock::kernels
