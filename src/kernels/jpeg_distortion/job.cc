#include "kernels/jpeg_distortion/job.h"

namespace penstock::kernels {
namespace {

// The example tables of the standard (ITU-T T.81, K.1), which libjpeg scales: luma, then chroma.
constexpr uint8_t kExamples[2][kJpegCoefficients] = {
    {16, 11,  10,  16, 24, 40, 51, 61, 12,  12,  14,  19,  26, 58, 60, 55,  14,  13,  16,  24, 40, 57,
     69, 56,  14,  17, 22, 29, 51, 87, 80,  62,  18,  22,  37, 56, 68, 109, 103, 77,  24,  35, 55, 64,
     81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
     99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

}  // namespace

void set_jpeg_quality(JpegDistortionJob& job, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  for (int kind = 0; kind < 2; ++kind)
    for (int i = 0; i < kJpegCoefficients; ++i)
      job.steps[kind][i] = static_cast<uint16_t>(std::clamp((kExamples[kind][i] * percent + 50) / 100, 1, 255));
}

}  // namespace penstock::kernels
