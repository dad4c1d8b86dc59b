// What a table has for an element. One body for CPUs and GPUs.
#pragma once

#include <cstdint>

#include "kernels/elements/job.h"

namespace penstock::kernels {

/// @param key of an integer type, extended to 64 bits: what is negative is beyond any table
template <class = void>
constexpr float looked_up(const LookupTable& table, uint64_t key) {
  return key < table.count ? table.values[key] : table.fallback;
}

}  // namespace penstock::kernels
