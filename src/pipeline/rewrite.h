// Rewrites of graphs: pure functions, each leaving results unchanged and work smaller.
#pragma once

#include <string>
#include <vector>

#include <penstock/graph.h>

namespace penstock {

/// Lets operators whose outputs are made one by one have one output each: GPUs make these, and none that is unread.
Graph split_outputs(const Graph& graph);

/// Leaves out operators that nobody reads (those with `preserve`, or whose schema says `keep`, stay).
Graph drop_dead(const Graph& graph, std::vector<std::string>& notes);

/// Lets equal operators with equal inputs be one. Random operators are equal only with equal explicit seeds; operators
/// that were given a name, `preserve` or `keep` stay themselves.
Graph merge_equal(const Graph& graph, std::vector<std::string>& notes);

}  // namespace penstock
