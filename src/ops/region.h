// Reading a part of an input whose data may hold more than that part.
#pragma once

#include "schema/sample.h"

namespace penstock {

/// Copies the elements inside `region`, which must lie inside what the value holds, to one dense block.
void copy_part(const Value& in, const Region& region, std::byte* to);

/// The elements of input `i` inside `region` as one dense block: in place when they already lie so, else a copy in
/// scratch memory. The region must lie inside what the input holds.
const std::byte* dense_part(Sample& s, int i, const Region& region);

}  // namespace penstock
