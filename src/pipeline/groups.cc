#include "pipeline/groups.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace penstock {
namespace {

/// Between two nodes of one sample step.
struct Edge {
  int from, to;
  bool before_infer;  // `to` looks into the data while it infers
};

std::vector<Edge> edges_of(const Plan& plan) {
  std::vector<Edge> edges;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlannedNode& node = plan.nodes[n];
    const auto add = [&](int v, bool before_infer) {
      const int from = plan.values[static_cast<size_t>(v)].node;
      const bool same_step = plan.nodes[static_cast<size_t>(from)].step == node.step;
      if (same_step && node.step >= 0) edges.push_back({from, static_cast<int>(n), before_infer});
    };
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (!node.sees_shape_only(i)) add(node.inputs[i], node.reads_data(i));
    for (int v : node.arg_inputs) add(v, true);
    if (node.when >= 0) add(node.when, true);
  }
  return edges;
}

/// For each node one that stands for all that exchange regions with it.
std::vector<int> clusters_of(const Plan& plan, const std::vector<Edge>& edges) {
  std::vector<int> cluster(plan.nodes.size());
  std::iota(cluster.begin(), cluster.end(), 0);
  for (const Edge& e : edges) {
    const int from = cluster[static_cast<size_t>(e.from)], to = cluster[static_cast<size_t>(e.to)];
    if (plan.nodes[static_cast<size_t>(e.from)].made == plan.nodes[static_cast<size_t>(e.to)].made)
      std::ranges::replace(cluster, from, to);
  }
  return cluster;
}

}  // namespace

void postpone(Plan& plan) {
  const std::vector<Edge> edges = edges_of(plan);
  const std::vector<int> cluster = clusters_of(plan, edges);
  int last = 0;
  for (const PlannedNode& node : plan.nodes) last = std::max(last, node.made);
  for (int group = last; group >= 0; --group) {  // what reads a group's outputs has moved before it
    std::map<int, int> latest;                   // by cluster
    for (const Edge& e : edges) {
      const PlannedNode &from = plan.nodes[static_cast<size_t>(e.from)], &to = plan.nodes[static_cast<size_t>(e.to)];
      const int own = cluster[static_cast<size_t>(e.from)];
      if (from.made != group || own == cluster[static_cast<size_t>(e.to)]) continue;
      const int bound = e.before_infer ? to.group - 1 : to.made;
      const auto [at, is_first] = latest.try_emplace(own, bound);
      if (!is_first) at->second = std::min(at->second, bound);
    }
    for (size_t n = 0; n < plan.nodes.size(); ++n)
      if (const auto at = latest.find(cluster[n]); at != latest.end() && plan.nodes[n].made == group)
        plan.nodes[n].made = at->second;
  }
}

}  // namespace penstock
