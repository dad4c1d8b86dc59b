#include "core/random.h"

#include <cmath>
#include <numbers>

namespace penstock {

float Random::normal() {
  const float radius = std::sqrt(-2.0f * std::log(1.0f - uniform()));  // 1 - u lies in (0, 1]
  return radius * std::cos(2.0f * std::numbers::pi_v<float> * uniform());
}

}  // namespace penstock
