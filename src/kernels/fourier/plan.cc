#include "kernels/fourier/plan.h"

#include <cmath>
#include <numbers>

namespace penstock::kernels {
namespace {

constexpr int32_t kRadices[] = {4, 2, 3, 5};

int64_t complex_length(int64_t points) {
  if (is_smooth(points)) return points;
  int64_t length = 1;
  while (length < 2 * points - 1) length *= 2;
  return length;
}

}  // namespace

bool is_smooth(int64_t length) {
  for (const int32_t radix : kRadices)
    while (length % radix == 0) length /= radix;
  return length == 1;
}

Root unit_root(int64_t numerator, int64_t denominator) {
  const double angle = -std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

ComplexPlan::ComplexPlan(int64_t count) : length(count) {
  int64_t rest = length;
  for (const int32_t radix : kRadices)
    for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
  roots.reserve(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) roots.push_back(unit_root(2 * k, length));
  place.reserve(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) {
    int64_t number = k, block = length, at = 0;
    for (const int32_t radix : radices) {
      block /= radix;
      at += number % radix * block;
      number /= radix;
    }
    place.push_back(static_cast<uint32_t>(at));
  }
}

RealPlan::RealPlan(int64_t count) : n(count), points(n % 2 == 0 ? n / 2 : n), complex(complex_length(points)) {
  if (n % 2 == 0)
    for (int64_t k = 0; k <= points / 2; ++k) halves.push_back(unit_root(2 * k, n));
  if (complex.length == points) return;
  for (int64_t k = 0; k < points; ++k) chirp.push_back(unit_root(k * k % (2 * points), points));
}

}  // namespace penstock::kernels
