// Rewrites of graphs: pure functions, each leaving results unchanged and work smaller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <penstock/graph.h>

namespace penstock {

/// Lets operators whose outputs are made one by one have one output each: GPUs make these, and none that is unread.
Graph split_outputs(const Graph& graph);

/// Leaves out operators whose outputs nothing reads (those with `preserve`, or whose schema says `keep`, stay).
Graph drop_dead(const Graph& graph, std::vector<std::string>& notes);

/// Lets equal operators with equal inputs be one. Random operators are equal only with equal explicit seeds; operators
/// that were given a name, `preserve` or `keep` stay themselves.
Graph merge_equal(const Graph& graph, std::vector<std::string>& notes);

/// A reader, with the readers that it mixes.
struct MixedReader {
  OpNode node;
  std::vector<MixedReader> parts;
};

/// A graph whose mixtures have no inputs but parts, by their places in it.
struct FoldedGraph {
  Graph graph;
  std::map<int, std::vector<MixedReader>> parts;
};

/// Makes readers whose outputs a mixture takes its parts, and leaves them out where nothing else reads them. No rewrite
/// may follow. @throws ArgumentError for inputs that are not all outputs of readers, in order, and for readers that
/// were given what their mixture has to be given, or arguments per sample
FoldedGraph fold_mixtures(const Graph& graph);

}  // namespace penstock
