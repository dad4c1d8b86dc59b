// One worker's apparatus for one sample step: values, runners and an arena, wired once and used sample after sample.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arena.h"
#include "device/staging.h"
#include "pipeline/batch_state.h"
#include "pipeline/plan.h"
#include "pipeline/stats.h"
#include "schema/sample_runner.h"

namespace penstock {

class SampleTask {
 public:
  SampleTask(const Plan& plan, const PlannedStep& step, bool push_regions, Stats& stats);

  /// The samples that are made next are that batch's.
  void begin(BatchState& batch);
  /// Sample `slot` comes next after the one that is made now, then `later`: see Reader::prefetch.
  void prefetch(const BatchState& batch, size_t slot, size_t later) const;
  /// Makes sample `slot` of the batch and writes what the step makes into the batch's builders.
  /// @throws Error with operator, sample, file and origin filled in.
  void run(BatchState& batch, size_t slot);
  /// Of the sample that failed last: its file or key, as far as that is known.
  const std::string& failed_source() const { return failed_source_; }

 private:
  struct Relabelled {  // an input whose layout the schema checks, or of which frames are left out
    size_t input;
    Value copy;
    const InputSpec* declared;
    std::vector<Layout> layouts;  // declared->layouts
  };
  struct Stage {  // one node
    int node = -1;
    std::unique_ptr<SampleRunner> runner;
    std::vector<int> inputs;  // values of the plan
    std::deque<Relabelled> relabelled;
    bool by_frame = false;  // input 0 is to hold the wanted frames alone, see Traits::region_axes
    ElementWork work;       // of operators whose programs are joined
    bool skipped = false;   // the sample is not of the node's branch
  };
  struct Group {
    std::vector<Stage*> infers, makes;
  };

  void wire(int node, Stage& stage);
  void make(BatchState& batch, size_t slot);
  void load(const BatchState& batch, size_t slot);
  /// Whether the sample is left out of what the node makes.
  bool branch_left_out(const PlannedNode& node) const;
  void infer(Stage& stage, const SampleId& id);
  void ask_for_regions(const Group& group);
  void execute(Stage& stage, BatchState& batch, size_t slot);
  /// Puts down what the GPU has to do.
  void describe(Stage& stage, BatchState& batch, size_t slot);
  Stage& stage_of(int node) { return stages_.at(node); }
  void prepare_memory(const Stage& stage, BatchState& batch, size_t slot);
  /// The value in whose slot of a list this one is written, or -1: itself, or what selects it.
  int place_of(int v) const;
  /// Hands on what a node has selected. False where it has to be copied.
  bool pass_selected(const Stage& stage, int place);
  /// All outputs only rename an input, or nothing reads a single pixel of them.
  bool nothing_to_do(const Stage& stage) const;
  /// Adds where an error happened: the node at work, the sample, the place that its bytes come from. Sets
  /// failed_source().
  void add_context(Error& error, const SampleId& id);
  Value& value(int v) { return values_[static_cast<size_t>(v)]; }

  const Plan& plan_;
  const PlannedStep& step_;
  const bool push_regions_;
  Stats& stats_;
  std::vector<Value> values_;    // by value of the plan; those of other steps stay empty
  std::vector<Region*> wanted_;  // likewise: the part that is asked for, in its node's runner
  std::vector<int> selected_;    // by output of a node that selects: the value; -1: not known yet
  std::map<int, Stage> stages_;  // by node
  std::vector<Group> groups_;
  std::vector<const PlannedNode*> readers_;
  Arena arena_;
  std::optional<device::Staging> staging_;  // of the batch; none: nothing is for a GPU
  const Stage* current_ = nullptr;          // for error messages
  std::string failed_source_;
};

}  // namespace penstock
