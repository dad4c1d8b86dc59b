// When nodes of a sample step make their outputs: as late as what reads them allows.
#pragma once

#include "pipeline/plan.h"

namespace penstock {

/// Postpones what nodes make, so that a window whose place other operators draw is known before what it cuts is made.
/// Nodes have inferred their shapes as early as before. Nodes that exchanged regions still do.
void postpone(Plan& plan);

/// Whether the node looks at the type and shape alone of its input `i`.
bool sees_shape_only(const PlannedNode& node, size_t i);

}  // namespace penstock
