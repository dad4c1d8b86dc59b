// What random operators draw, element by element. One body for GPUs, and for the tests that run it on a CPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/wide_random.h"
#include "kernels/elements/job.h"

namespace penstock::kernels {

/// Number `draw` of a sample at an operator; what Random gives at that place.
template <class = void>
constexpr uint32_t draw_at(uint64_t key, uint64_t sample, uint64_t draw) {
  return philox4x32(key, sample, draw / 4)[draw % 4];
}

/// Element `index` of what a random operator draws, a float; the formulas are those of Random.
template <class = void>
[[gnu::noinline]] constexpr float drawn(const DrawTable& table, uint64_t index) {
  const uint64_t key = mix64(table.seed, table.epoch);
  const auto uniform = [&](uint64_t draw) {
    return static_cast<float>(draw_at(key, table.sample, draw) >> 8) * 0x1p-24f;
  };
  switch (table.kind) {
    case Draw::kUniform: {
      const float x = table.a + (table.b - table.a) * uniform(index);
      return x < table.b ? x : table.a;
    }
    case Draw::kPick:
      return table.values[(uint64_t{draw_at(key, table.sample, index)} * table.count) >> 32];
    case Draw::kCoin:
      return unit53(draw_at(key, table.sample, 2 * index), draw_at(key, table.sample, 2 * index + 1)) <
                     static_cast<double>(table.a)
                 ? 1.f
                 : 0.f;
    default: {
      const float inner = -2.0f * static_cast<float>(std::log(static_cast<double>(1.0f - uniform(2 * index))));
      const float angle = 2.0f * 3.14159265358979323846f * uniform(2 * index + 1);
      const float normal = std::sqrt(inner) * static_cast<float>(std::cos(static_cast<double>(angle)));
      return table.a + table.b * normal;
    }
  }
}

/// Likewise for a table that is wide: a double, by the formulas of WideRandom.
template <class = void>
[[gnu::noinline]] constexpr double wide_drawn(const DrawTable& table, uint64_t index) {
  const uint64_t key = mix64(table.seed, table.epoch);
  const auto uniform = [&](uint64_t number) {
    return unit53(draw_at(key, table.sample, 2 * number), draw_at(key, table.sample, 2 * number + 1));
  };
  if (table.kind == Draw::kUniform) return between(table.a, table.b, uniform(index));
  const double normal = normal_of(uniform(2 * index), uniform(2 * index + 1));
  return static_cast<double>(table.a) + static_cast<double>(table.b) * normal;
}

}  // namespace penstock::kernels
