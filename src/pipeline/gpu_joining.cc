// Which operators on the GPU run as one launch: a program that is evaluated for each element can go on from the one
// that makes its input, as long as nothing else reads what lies between.
#include <algorithm>

#include "pipeline/plan.h"

namespace penstock {
namespace {

/// What the programs that end with a node come to.
struct Chain {
  int operands = 0, instructions = 0;
  bool pixels = false;
};

bool only_for(const Plan& plan, int v, const PlannedNode& reader) {
  const PlannedValue& value = plan.values[static_cast<size_t>(v)];
  const bool output = std::find(plan.outputs.begin(), plan.outputs.end(), v) != plan.outputs.end();
  return !output && value.readers.size() == 1 && plan.nodes[static_cast<size_t>(value.node)].step == reader.step;
}

Chain chain_of(const ProgramTraits& program) {
  return {.operands = program.operands, .instructions = program.instructions, .pixels = program.takes_pixels};
}

bool can_lead(const PlannedNode& node, size_t input) {
  return std::ranges::count(node.elements->program().leads, static_cast<int>(input)) > 0;
}

bool joins(const PlannedNode& node) { return node.elements && node.elements->program().joins; }

void join(PlannedNode& node, int index, size_t input, int follows, PlannedNode& earlier) {
  node.follows = follows;
  node.lead = static_cast<int>(input);
  earlier.joined_by = index;
  std::vector<int> inputs = earlier.gpu_inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (i != input && !node.reads_data(i) && node.form->reads(static_cast<int>(i))) inputs.push_back(node.inputs[i]);
  node.gpu_inputs = std::move(inputs);
}

}  // namespace

void join_programs(Plan& plan) {
  std::vector<Chain> chains(plan.nodes.size());
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    PlannedNode& node = plan.nodes[n];
    if (!joins(node)) continue;
    chains[n] = chain_of(node.elements->program());
    for (size_t i = 0; i < node.inputs.size() && node.follows < 0; ++i) {
      const int v = node.inputs[i], before = plan.values[static_cast<size_t>(v)].node;
      PlannedNode& earlier = plan.nodes[static_cast<size_t>(before)];
      const Chain& chain = chains[static_cast<size_t>(before)];
      const Chain both{.operands = chain.operands + chains[n].operands,
                       .instructions = chain.instructions + chains[n].instructions,
                       .pixels = chain.pixels || chains[n].pixels};
      if (!joins(earlier) || node.when != earlier.when || !only_for(plan, v, node) || !can_lead(node, i) ||
          (chain.pixels && !node.elements->program().keeps_pixels) ||
          !ElementWork::fits(both.operands, both.instructions))
        continue;
      chains[n] = both;
      join(node, static_cast<int>(n), i, before, earlier);
    }
  }
}

}  // namespace penstock
