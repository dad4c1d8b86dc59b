#include "pipeline/plan.h"

#include <algorithm>

#include "core/check.h"
#include "pipeline/groups.h"
#include "pipeline/rewrite.h"
#include "schema/mixes.h"
#include "schema/peer.h"
#include "schema/registry.h"

namespace penstock {
namespace {

class Planner {
 public:
  Planner(const Graph& graph, const PipelineOptions& options, device::Device* gpu) : options_(options), gpu_(gpu) {
    FoldedGraph folded = fold_mixtures(merge_equal(drop_dead(split_outputs(graph), plan_.notes), plan_.notes));
    plan_.graph = std::move(folded.graph);
    parts_ = std::move(folded.parts);
  }

  Plan plan() {
    for (const OpNode& node : plan_.graph.nodes()) add_node(node);
    for (const Node& output : plan_.graph.outputs()) {
      plan_.outputs.push_back(value_of(output));
      plan_.gpu_outputs.push_back(output.on_gpu && gpu_);
    }
    assign_steps();
    if (gpu_) place_on_gpu(plan_, *gpu_);
    assign_lists();
    assign_memory();
    return std::move(plan_);
  }

 private:
  int value_of(const Node& node) const {
    const auto& outputs = plan_.nodes[static_cast<size_t>(node.op)].outputs;
    PENSTOCK_CHECK(node.output >= 0 && node.output < static_cast<int>(outputs.size()), ArgumentError,
                   "operator {} has {} outputs; there is no output {}",
                   plan_.graph.nodes()[static_cast<size_t>(node.op)].op, outputs.size(), node.output);
    return outputs[static_cast<size_t>(node.output)];
  }
  PlannedNode& node(int i) { return plan_.nodes[static_cast<size_t>(i)]; }
  PlannedValue& value(int i) { return plan_.values[static_cast<size_t>(i)]; }

  void add_node(const OpNode& asked) {
    PlannedNode planned;
    planned.asked = asked;
    planned.schema = &registry().at(asked.op);
    const int index = static_cast<int>(plan_.nodes.size());
    planned.parts = parts_[index];
    for (const Node& input : asked.inputs) planned.inputs.push_back(value_of(input));
    for (const auto& [name, input] : asked.arg_inputs) {
      planned.spec.arg_inputs.push_back(name);
      planned.arg_inputs.push_back(value_of(input));
    }
    if (asked.when.op >= 0) planned.when = value_of(asked.when);
    make_operator(planned);
    if (planned.when >= 0) value(planned.when).readers.push_back(index);
    for (int v : planned.inputs) value(v).readers.push_back(index);
    for (int v : planned.arg_inputs) value(v).readers.push_back(index);
    for (int i = 0; i < asked.num_outputs; ++i) {
      planned.outputs.push_back(static_cast<int>(plan_.values.size()));
      plan_.values.push_back({.node = index, .output = i});
    }
    if (planned.reader) plan_.readers.push_back(index);
    if (planned.schema->kind == OpKind::kExternal) plan_.externals.push_back(index);
    plan_.nodes.push_back(std::move(planned));
  }

  void make_operator(PlannedNode& planned) {
    OpSpec& spec = planned.spec;
    spec.args = planned.asked.args;
    spec.num_inputs = static_cast<int>(planned.inputs.size());
    spec.batch_size = options_.batch_size;
    spec.seed = seed_for(planned);
    if (planned.schema->kind == OpKind::kReader) spec.reader = static_cast<int>(plan_.readers.size());
    try {
      planned.op = planned.schema->make(spec);
      if (Mixes* mixes = planned.op->traits().mixes) mixes->mix(made(planned.parts, spec));
      if (Peer* peer = planned.op->traits().peer) {
        const PlannedNode& met = node(value(planned.inputs.at(0)).node);
        peer->meet(*met.schema, met.spec);
      }
    } catch (Error& e) {
      e.add_context(planned.context());
      throw;
    }
    const Traits& traits = planned.op->traits();
    planned.sample_op = traits.sample;
    planned.batch_op = traits.batch;
    planned.reader = traits.reader;
    planned.selects = traits.selects;
  }

  /// The readers of a mixture, which decides about their order.
  static std::vector<MixedPart> made(const std::vector<MixedReader>& readers, const OpSpec& mixture) {
    std::vector<MixedPart> parts;
    for (const auto& [node, own_parts] : readers) {
      OpSpec spec{.args = node.args, .seed = mixture.seed, .reader = 0, .batch_size = mixture.batch_size};
      spec.args["lazy_init"] = true;
      MixedPart part{.context = {.op = node.op, .origin = node.origin}};
      try {
        part.op = registry().at(node.op).make(spec);
        if (Mixes* mixes = part.op->traits().mixes) mixes->mix(made(own_parts, spec));
      } catch (Error& e) {
        e.add_context(part.context);
        throw;
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  static std::optional<int64_t> seed_given(const PlannedNode& planned) {
    const auto given = planned.asked.args.find("seed");
    if (given == planned.asked.args.end()) return {};
    const auto* seed = std::get_if<int64_t>(&given->second);
    return seed && *seed >= 0 ? std::optional(*seed) : std::nullopt;
  }

  /// An explicit seed makes a stream of its own, equal wherever it is given; otherwise the pipeline's seed and the
  /// operator's rank among the random ones decide.
  uint64_t seed_for(const PlannedNode& planned) {
    if (planned.schema->kind == OpKind::kReader) return order_seed_for(planned);
    if (const auto seed = seed_given(planned)) return mix64(static_cast<uint64_t>(*seed));
    return planned.schema->random ? mix64(static_cast<uint64_t>(options_.seed), ++random_ops_) : 0;
  }

  /// Readers of a pipeline with one seed shuffle alike (pictures and their masks), those with several seeds do not (two
  /// pictures to mix). The values of seeds do not count: programs give each rank other ones, and its shards would be
  /// parts of different permutations, with samples in common.
  uint64_t order_seed_for(const PlannedNode& reader) {
    const uint64_t base = mix64(static_cast<uint64_t>(options_.shuffle_seed.value_or(options_.seed)));
    const std::optional<int64_t> seed = seed_given(reader);
    const auto same = std::ranges::find(reader_seeds_, seed);
    const auto number = static_cast<uint64_t>(same - reader_seeds_.begin());
    if (same == reader_seeds_.end()) reader_seeds_.push_back(seed);
    return number == 0 ? base : mix64(base, number);
  }

  /// A sample operator joins the step of its latest input; one behind a batch operator comes a step later.
  void assign_steps() {
    for (PlannedNode& n : plan_.nodes) {
      if (n.schema->kind == OpKind::kExternal) continue;
      int step = 0;
      const auto after = [&](int v) {
        const PlannedNode& producer = node(value(v).node);
        step = std::max(step, producer.step + (producer.batch_op || n.batch_op ? 1 : 0));
      };
      for (int v : n.inputs) after(v);
      for (int v : n.arg_inputs) after(v);
      if (n.when >= 0) after(n.when);
      n.step = place_in_step(step, n.batch_op != nullptr);
      if (!n.batch_op) n.group = n.made = group_of(n);
    }
    postpone(plan_);
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      const PlannedNode& n = plan_.nodes[i];
      if (n.step < 0) continue;
      PlannedStep& step = plan_.steps[static_cast<size_t>(n.step)];
      if (step.batch) {
        step.node = static_cast<int>(i);
      } else {
        if (static_cast<int>(step.groups.size()) <= n.made) step.groups.resize(static_cast<size_t>(n.made) + 1);
        step.groups[static_cast<size_t>(n.group)].infers.push_back(static_cast<int>(i));
        step.groups[static_cast<size_t>(n.made)].makes.push_back(static_cast<int>(i));
        if (n.selects) step.selections.push_back(n.outputs[0]);
      }
    }
  }

  /// The first step from `earliest` on that suits: batch operators have a step each, sample operators share.
  int place_in_step(int earliest, bool batch) {
    for (size_t i = static_cast<size_t>(earliest);; ++i) {
      if (i >= plan_.steps.size()) {
        plan_.steps.resize(i + 1);
        plan_.steps[i].batch = batch;
        return static_cast<int>(i);
      }
      if (!batch && !plan_.steps[i].batch) return static_cast<int>(i);
    }
  }

  int group_of(const PlannedNode& n) {
    int group = 0;
    const auto after = [&](int v, bool reads_data) {
      const PlannedNode& producer = node(value(v).node);
      if (producer.step == n.step) group = std::max(group, producer.group + (reads_data ? 1 : 0));
    };
    for (size_t i = 0; i < n.inputs.size(); ++i) after(n.inputs[i], n.reads_data(i));
    for (int v : n.arg_inputs) after(v, true);
    if (n.when >= 0) after(n.when, true);
    return group;
  }

  static bool reads_more_than_shape(const PlannedNode& reader, int v) {
    for (size_t i = 0; i < reader.inputs.size(); ++i)
      if (reader.inputs[i] == v && !reader.sees_shape_only(i)) return true;
    return reader.when == v || std::ranges::count(reader.arg_inputs, v) > 0;
  }

  void assign_lists() {
    for (size_t v = 0; v < plan_.values.size(); ++v) {
      PlannedValue& val = plan_.values[v];
      const PlannedNode& producer = node(val.node);
      bool outlives = producer.step < 0 || producer.batch_op;
      outlives |= std::find(plan_.outputs.begin(), plan_.outputs.end(), static_cast<int>(v)) != plan_.outputs.end();
      bool other_group = false;
      for (int r : val.readers) {
        outlives |= node(r).step != producer.step;
        other_group |= node(r).made != producer.made && reads_more_than_shape(node(r), static_cast<int>(v));
      }
      val.whole = outlives || other_group;
      if (outlives) val.list = plan_.num_lists++;
      if (outlives && producer.step >= 0 && !producer.on_gpu)
        plan_.steps[static_cast<size_t>(producer.step)].makes.push_back(static_cast<int>(v));
      for (int r : val.readers) {
        if (node(r).step == producer.step) continue;
        auto& loads = plan_.steps[static_cast<size_t>(node(r).step)].loads;
        if (std::find(loads.begin(), loads.end(), static_cast<int>(v)) == loads.end())
          loads.push_back(static_cast<int>(v));
      }
    }
  }

  /// Where values are written: straight into their list's slot; and behind operators that only rename (reshape), the
  /// value they rename goes into the slot of the renamed one.
  void assign_memory() {
    for (size_t v = 0; v < plan_.values.size(); ++v) {
      PlannedValue& val = plan_.values[v];
      const PlannedNode& producer = node(val.node);
      if (!producer.sample_op) continue;
      val.selected = !producer.on_gpu && std::ranges::any_of(val.readers, [&](int r) {
        return node(r).selects && !node(r).on_gpu && node(r).step == producer.step;
      });
      if (val.list >= 0 && !producer.on_gpu) val.place = static_cast<int>(v);
      const int input = producer.op->traits().alias_of;
      if (input < 0) continue;
      val.alias_of = producer.inputs[static_cast<size_t>(input)];
      val.place = -1;
      if (val.list < 0 || producer.on_gpu) continue;
      int root = val.alias_of;
      while (value(root).alias_of >= 0) root = value(root).alias_of;
      const bool same_step = node(value(root).node).step == producer.step;
      if (same_step && value(root).place < 0) value(root).place = static_cast<int>(v);
    }
  }

  const PipelineOptions& options_;
  device::Device* const gpu_;
  Plan plan_;
  std::map<int, std::vector<MixedReader>> parts_;
  uint64_t random_ops_ = 0;
  std::vector<std::optional<int64_t>> reader_seeds_;  // each once
};

}  // namespace

std::string PlannedNode::label() const { return asked.name.empty() ? asked.op : asked.op + " `" + asked.name + "`"; }

Plan make_plan(const Graph& graph, const PipelineOptions& options, device::Device* gpu) {
  return Planner(graph, options, gpu).plan();
}

}  // namespace penstock
