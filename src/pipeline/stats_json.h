// The counters as JSON, for Pipeline::stats().
#pragma once

#include <string>

#include "pipeline/plan.h"
#include "pipeline/stats.h"

namespace penstock {

std::string stats_json(const Plan& plan, const Stats& stats);

}  // namespace penstock
