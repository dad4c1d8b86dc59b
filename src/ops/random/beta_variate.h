// Variates of the beta distribution.
#pragma once

#include <cmath>

namespace penstock {

/// The logarithm of a gamma variate of that shape (Marsaglia and Tsang, "A simple method for generating gamma
/// variables", 2000). In logarithms, because for small shapes the variate itself underflows.
template <class AnyRandom>
double log_gamma_variate(AnyRandom& random, double shape) {
  const double raised = shape < 1 ? shape + 1 : shape;
  const double d = raised - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t, u = 1.0 - random.uniform();
    if (std::log(u) >= .5 * x * x + d - d * v + d * std::log(v)) continue;
    const double log_variate = std::log(d * v);
    return shape < 1 ? log_variate + std::log(1.0 - random.uniform()) / shape : log_variate;
  }
}

/// In [0, 1]; both parameters are positive.
template <class AnyRandom>
double beta_variate(AnyRandom& random, double alpha, double beta) {
  const double a = log_gamma_variate(random, alpha), b = log_gamma_variate(random, beta);
  return 1 / (1 + std::exp(b - a));
}

}  // namespace penstock
