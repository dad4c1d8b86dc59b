#include <algorithm>
#include <deque>
#include <optional>

#include "core/check.h"
#include "ops/geometry/homography.h"
#include "ops/geometry/picture_geometry.h"
#include "schema/peer.h"
#include "schema/registry.h"
#include "schema/sample_runner.h"

namespace penstock {
namespace {

struct NoArgs {};

constexpr int kOwnInputs = 2;  // the moved picture, and the geometry before

/// What there is to know of the operator that moved the picture.
struct Asked {
  std::unique_ptr<const Operator> op;
  const SampleOperatorBase* sample_op = nullptr;
  const MovesPixels* moves = nullptr;
  OpSpec spec;
  std::vector<std::vector<Layout>> layouts;  ///< of each input
  int outputs = 1;
};

/// The operator at work on a sample once more: it infers, but never runs.
struct AtWork {
  explicit AtWork(const Asked& asked) : runner(*asked.sample_op, asked.spec.seed) {
    runner.set_arena(&arena);
    for (int i = 0; i < asked.spec.num_inputs; ++i) runner.add_input(&inputs.emplace_back());
    for (const std::string& name : asked.spec.arg_inputs) {
      runner.add_arg_input(&arg_inputs.emplace_back());
      runner.allow_per_frame(name);
    }
    for (int i = 0; i < asked.outputs; ++i) runner.add_output(&outputs.emplace_back());
  }
  Arena arena;
  std::deque<Value> inputs, arg_inputs, outputs;  // runner points to them
  SampleRunner runner;
  PictureGeometry geometry;
};

/// What a worker keeps: the operator at work, since the first sample.
struct Worker {
  std::unique_ptr<AtWork> work;
};

/// Asks the operator that made input 0, which gets the same inputs and draws the same random numbers.
class GeometryOf : public SampleOperator<NoArgs, Worker>, public Peer {
 public:
  explicit GeometryOf(bool reads_picture = false) {
    traits_.peer = this;
    traits_.shape_only = input_bit(0) | (reads_picture ? 0 : input_bit(kOwnInputs));
  }
  void meet(const OpSchema& schema, const OpSpec& spec) override {
    asked_.spec = spec;
    // Where files can be decoded from is of no use here.
    for (const char* name : {"checkpoints", "checkpoint_file"}) asked_.spec.args.erase(name);
    asked_.op = schema.make(asked_.spec);
    asked_.sample_op = asked_.op->traits().sample;
    asked_.moves = dynamic_cast<const MovesPixels*>(asked_.op.get());
    asked_.outputs = schema.num_outputs(asked_.spec);
    PENSTOCK_CHECK(asked_.sample_op && asked_.moves, ArgumentError, "`{}` moves no pixels by a matrix", schema.name);
    const int given = this->spec().num_inputs, takes = spec.num_inputs + static_cast<int>(spec.arg_inputs.size());
    PENSTOCK_CHECK(given == kOwnInputs + takes, ArgumentError, "`{}` has {} inputs and arguments, got {}", schema.name,
                   takes, given - kOwnInputs);
    for (int i = 0; i < spec.num_inputs; ++i) {
      const InputSpec& input = schema.inputs[std::min(static_cast<size_t>(i), schema.inputs.size() - 1)];
      asked_.layouts.emplace_back(input.layouts.begin(), input.layouts.end());
    }
  }
  void infer(Sample& s) const override {
    PENSTOCK_CHECK(asked_.moves, InternalError, "a pipeline tells which operator is asked for its geometry");
    std::unique_ptr<AtWork>& kept = state(s).work;
    if (!kept) kept = std::make_unique<AtWork>(asked_);
    AtWork& work = *kept;
    work.arena.reset();
    int next = kOwnInputs;
    for (size_t i = 0; i < work.inputs.size(); ++i) work.inputs[i] = labelled(s.in(next++), asked_.layouts[i]);
    for (Value& argument : work.arg_inputs) argument = s.in(next++);
    for (Value& output : work.outputs) output = Value{};
    work.runner.infer(s.id());
    PENSTOCK_CHECK(!work.runner.by_frames(), ArgumentError,
                   "the frames of a sequence are moved each in its own way: labels follow whole samples only");
    work.geometry = PictureGeometry::read(s.in(1).tensor);
    work.geometry.follow(asked_.moves->pixel_map(work.runner.sample()));
    s.out(0).describe(work.geometry.description());
  }
  void run(Sample& s) const override { state(s).work->geometry.write(s.out(0).tensor.as<double>()); }

 private:
  /// An unlabelled input takes the first layout of its rank, as it does at the operator itself.
  static Value labelled(Value value, std::span<const Layout> layouts) {
    for (const Layout& layout : layouts)
      if (value.tensor.layout.empty() && layout.ndim() == value.tensor.shape.ndim()) value.tensor.layout = layout;
    return value;
  }

  Asked asked_;
};

/// Asks a decoder, whose input is a file.
class GeometryOfFile final : public GeometryOf {
 public:
  GeometryOfFile() : GeometryOf(true) {}
};

class GeometryOfSource final : public SampleOperator<NoArgs, PictureGeometry> {
 public:
  GeometryOfSource() { traits_.shape_only = input_bit(0); }
  void infer(Sample& s) const override {
    PictureGeometry& geometry = state(s);
    geometry = s.num_inputs() > 1 ? PictureGeometry::read(s.in(1).tensor) : PictureGeometry{};
    const Place extents = pixel_extents(s.in(0).tensor);
    s.num_inputs() > 1 ? geometry.resize(extents) : geometry.begin(extents, pixel_axes(s.in(0).tensor));
    s.out(0).describe(geometry.description());
  }
  void run(Sample& s) const override { state(s).write(s.out(0).tensor.as<double>()); }
};

constexpr const char* kHostOnly = "a few numbers a sample, which the host knows before the GPU begins";

}  // namespace

[[gnu::cold]] void register_follow_operator(Registry& r) {
  const auto describe = [](auto op, const char* what, bool reads) {
    op.doc("Where an operator moves the pixels of its picture. No pixel is read for that.")
        .input("moved", {}, "What the operator makes.")
        .input("before", {}, "The geometry of its picture; without rows where that is the source.")
        .reads_data()
        .input("picture", {}, what);
    if (reads) op.reads_data();
    op.input("more", {}, "Its other inputs, and its arguments given per sample by their names.")
        .optional()
        .variadic()
        .reads_data()
        .output("geometry", "FLOAT64, rows of 4 numbers.")
        .host_only(kHostOnly)
        .hidden();
  };
  describe(r.add<GeometryOf>("follow_operator"), "The picture that it takes.", false);
  describe(r.add<GeometryOfFile>("follow_file"), "The file that it takes.", true);
}

[[gnu::cold]] void register_follow_source(Registry& r) {
  r.add<GeometryOfSource>("follow_source")
      .doc("The geometry of a picture that nothing has moved, or that got other extents.")
      .input("picture", {"HWC", "FHWC", "CHW", "FCHW", "HW", "DHWC", "FDHWC", "CDHW", "FCDHW", "CFHW", "CFDHW", "DHW"},
             "The picture or volume, or frames.")
      .input("before", {}, "The geometry that it had with its own extents.")
      .optional()
      .reads_data()
      .holds("nothing")
      .output("geometry", "FLOAT64, rows of 4 numbers.")
      .host_only(kHostOnly)
      .hidden();
}

}  // namespace penstock
