// When nodes of a sample step make their outputs: as late as what reads them allows.
#pragma once

#include "pipeline/plan.h"

namespace penstock {

/// Postpones what nodes make, so that a window whose place other operators draw is known before what it cuts is made.
/// Nodes have inferred their shapes as early as before. Nodes that exchanged regions still do.
void postpone(Plan& plan);

}  // namespace penstock
