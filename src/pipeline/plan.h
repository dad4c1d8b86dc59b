// What the executor does with a graph: nodes in order, joined into steps, every value with a place to live.
//
// A step is either a sample step (operators that work sample by sample, run back to back on one worker while the pixels
// are in its cache) or a batch step (one operator that needs all samples). Inside a sample step, nodes form groups: all
// of a group infer their shapes; then those that it makes say backwards which regions they need, and run. A node infers
// in a new group when it must look into data that its own group would produce, and is made in the latest group that
// what reads it allows.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <penstock/graph.h>
#include <penstock/pipeline.h>

#include "device/gpu_form.h"
#include "ops/elements/element_form.h"
#include "pipeline/rewrite.h"
#include "schema/reader.h"
#include "schema/schema.h"
#include "schema/selects.h"

namespace penstock {

struct PlannedNode {
  OpNode asked;
  std::vector<MixedReader> parts;  // readers that it mixes
  const OpSchema* schema = nullptr;
  OpSpec spec;
  std::unique_ptr<Operator> op;
  const SampleOperatorBase* sample_op = nullptr;     // op, when it works sample by sample
  const BatchOperatorBase* batch_op = nullptr;       // op, when it needs the batch
  const Reader* reader = nullptr;                    // op, when it reads
  const Selects* selects = nullptr;                  // op, when its output is one of its inputs
  const device::GpuForm* form = nullptr;             // op, when its work is done by the GPU
  const ElementForm* elements = nullptr;             // form, when it is a program for each element
  const device::GpuBatchForm* batch_form = nullptr;  // op, when it needs the batch and the GPU does its work
  device::FoundKernels kernels;                      // that the form launches
  std::vector<int> inputs, arg_inputs, outputs;      // values
  int when = -1;                                     // value that says which samples it makes; -1: all
  int step = -1;                // external sources have none: their batches are there from the start
  int group = 0;                ///< of its step, in which it infers its outputs
  int made = 0;                 ///< group in which it makes them
  bool on_gpu = false;          ///< its outputs are made in GPU memory
  int follows = -1;             ///< node whose program this one's continues, in the same launch
  int lead = 0;                 ///< input that comes from there
  int joined_by = -1;           ///< node whose program continues this one's
  std::vector<int> gpu_inputs;  ///< values that its launch reads

  /// Shapes depend on the data of that input.
  bool reads_data(size_t input) const { return schema->inputs[std::min(input, schema->inputs.size() - 1)].reads_data; }
  bool sees_shape_only(size_t input) const { return op->traits().sees_shape_only(input); }
  ErrorContext context() const { return {.op = asked.op, .origin = asked.origin}; }
  /// "decoders.image" or, when the user named it, "decoders.image `jpegs`".
  std::string label() const;
};

struct PlannedValue {
  int node = -1, output = 0;
  int list = -1;             ///< index among the batch's lists when the value outlives its sample, else -1
  int alias_of = -1;         ///< value whose memory this one shares, or -1
  int place = -1;            ///< value whose slot in a list this value is written into directly, or -1
  bool whole = true;         ///< a node that is made in another group reads it, so all of it is made
  bool selected = false;     ///< it may become an output of a node that selects
  std::vector<int> readers;  ///< nodes
};

/// Nodes, in order.
struct PlannedGroup {
  std::vector<int> infers, makes;
};

struct PlannedStep {
  bool batch = false;
  std::vector<PlannedGroup> groups;  ///< of a sample step, in order
  int node = -1;                     ///< the operator of a batch step
  std::vector<int> loads;            ///< values that come from lists of earlier steps
  std::vector<int> makes;            ///< values that the step turns into lists
  std::vector<int> selections;       ///< outputs of its nodes that select
  std::vector<int> gpu_values;       ///< values that the GPU reads or makes
  std::vector<int> gpu_slots;        ///< by value: its place among them, or -1

  int gpu_slot(int value) const { return gpu_slots.empty() ? -1 : gpu_slots[static_cast<size_t>(value)]; }
};

struct Plan {
  std::vector<PlannedNode> nodes;
  std::vector<PlannedValue> values;
  std::vector<PlannedStep> steps;
  std::vector<int> outputs;       ///< values
  std::vector<bool> gpu_outputs;  ///< for each output, whether it is handed out in GPU memory
  std::vector<int> readers;       ///< nodes
  std::vector<int> externals;     ///< nodes
  int num_lists = 0;
  Graph graph;                     ///< after rewriting: what really runs
  std::vector<std::string> notes;  ///< what was rewritten, for explain()
};

/// @param gpu  that options.device_id says; null: none
/// @throws what operators' constructors throw, with the operator and the user's lines added.
Plan make_plan(const Graph& graph, const PipelineOptions& options, device::Device* gpu);

/// Whether a GPU can do the operator's work: it has a form for it, or only renames its input.
bool has_gpu_form(const Operator& op);
/// Decides which operators the GPU does, once steps are known.
void place_on_gpu(Plan& plan, device::Device& gpu);
/// Joins programs of operators that follow each other.
void join_programs(Plan& plan);
/// The GPU makes value `v` in that step.
bool made_on_gpu(const Plan& plan, int v, const PlannedStep& step);
/// The host reads value `v`: an operator that it does, data that shapes depend on, an argument, or the user.
bool host_needs(const Plan& plan, int v);

/// The plan in words.
std::string explain(const Plan& plan, const PipelineOptions& options);

}  // namespace penstock
