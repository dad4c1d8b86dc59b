// What an operator is. Implementations derive from SampleOperator (one sample at a time, any thread) or from
// BatchOperator (needs the whole batch). All methods that run are const: state lives in Local or nowhere.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.h>

#include "schema/sample.h"
#include "schema/value.h"

namespace penstock {

/// What one node of a graph asks of an operator.
struct OpSpec {
  std::map<std::string, ArgValue> args;  ///< constant arguments that were given
  std::vector<std::string> arg_inputs;   ///< arguments given per sample, in the order of Sample::arg_in
  uint64_t seed = 0;                     ///< the operator's own stream of random numbers
  int reader = -1;                       ///< position among the pipeline's readers (SampleId::picks), -1 if none
  int num_inputs = 0;
  int batch_size = 1;  ///< samples per batch at most
  bool given(const std::string& name) const;
};

class SampleOperatorBase;
class BatchOperatorBase;
class FedOperator;
class Reader;
class Selects;
class FrameSizes;
class Peer;
class Mixes;

/// For Traits::region_axes: outputs are made in part along any axis, also of tensors without a layout.
inline constexpr std::string_view kAnyAxis = "*";

/// For Traits::shape_only: one input, or all of them.
constexpr uint64_t input_bit(int input) { return uint64_t{1} << input; }
inline constexpr uint64_t kAllInputs = ~uint64_t{0};

/// What an operator is, beside its methods; the same for every sample. Constructors and setup() set it, and it is read
/// when the plan is made. Pointers lead to the operator itself; null: it is none of that.
struct Traits {
  const SampleOperatorBase* sample = nullptr;  ///< works sample by sample
  const BatchOperatorBase* batch = nullptr;    ///< needs the whole batch
  const FedOperator* fed = nullptr;            ///< its batches come from outside
  const Reader* reader = nullptr;
  const Selects* selects = nullptr;         ///< its output is one of its inputs
  const FrameSizes* frame_sizes = nullptr;  ///< can make frames of one sequence equally large
  Peer* peer = nullptr;                     ///< speaks for what makes its input 0
  Mixes* mixes = nullptr;                   ///< reads what other readers read

  /// infer and need look at descriptors alone: neither at data nor at random numbers, and infer sets no memory.
  /// Without per-sample arguments they are then called only for a sample that differs from the one before.
  bool goes_by_descriptors = false;
  /// Outputs may be made in part: then out(i).held is set to what is wanted before run.
  bool makes_regions = false;
  /// With it: letters of the axes along which outputs may be made in part, or kAnyAxis and letters of those along which
  /// they may not. What is wanted is whole along the others, also along those of tensors without a layout.
  /// F, which must come before the other letters, stands for frames that come first: each is made of the same frame of
  /// input 0, which then holds just those that are wanted. (In a GPU's element programs it may hold more.)
  std::string_view region_axes = "HW";
  bool makes_frames() const { return makes_regions && region_axes.starts_with('F'); }
  /// The input whose memory the outputs share, or -1. The executor then hands that memory on and never calls run: such
  /// an operator changes descriptors only (reshape, squeeze), and what it holds is what the input holds.
  int alias_of = -1;
  /// Inputs from this one on are values for frames, as arguments are: matrices. -1: none.
  int frame_values_from = -1;
  /// A bit for each input of which the operator looks at type, shape and source alone. Nothing is made for it: what a
  /// GPU makes stays there, and what the operator tells decides which part of the input others need.
  uint64_t shape_only = 0;
  bool sees_shape_only(size_t input) const { return (shape_only >> std::min<size_t>(input, 63)) & 1; }
  bool of_sequences = false;  ///< works on sequences as such: its arguments are none of frames
  bool serial = false;        ///< batches must pass one after the other, in order (functions that may keep state)
  /// The thread that takes a batch makes its outputs, in order, and knows by this number what to do. What does the work
  /// may then launch collectives: they come in the order of the calls that take batches, which is the same in every
  /// process, whatever is prefetched.
  std::optional<int64_t> consumer_step;

  bool is_per_frame(int input) const { return frame_values_from >= 0 && input >= frame_values_from; }
};

class Operator {
 public:
  Operator() = default;
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  const Traits& traits() const { return traits_; }

 protected:
  Traits traits_;
};

/// An operator whose batches come from outside.
class FedOperator : public Operator {
 public:
  FedOperator() { traits_.fed = this; }
  /// Makes what was fed the operator's output. @throws DataError when it is not what was declared
  virtual void accept(TensorList& data) const = 0;
};

class SampleOperatorBase : public Operator {
 public:
  SampleOperatorBase() { traits_.sample = this; }
  /// What a worker keeps for this operator between samples.
  virtual std::unique_ptr<Local> make_local() const { return std::make_unique<Local>(); }
  /// Takes per-sample arguments in. Called once per sample, before infer.
  virtual void prepare(Sample&) const {}
  /// Fills the descriptors of all outputs from the inputs' descriptors (and from inputs' data only where the schema
  /// says so). May set out(i).tensor.data to share an input's memory or to bring its own.
  virtual void infer(Sample&) const = 0;
  /// Says which part of each input is read to make what is wanted of the outputs. Default: all of it.
  virtual void need(Sample&) const {}
  /// Writes the outputs.
  virtual void run(Sample&) const = 0;
};

/// How a value gets into its place in an argument struct. That struct's type is known to `set` alone, so all operators
/// share the code that goes through fields.
struct Field {
  std::string name;
  std::function<void(void* args, const ArgValue&)> set;
};

/// Reads a per-sample argument out of the tensor that carries it.
/// @throws TypeError for types that no argument has.
ArgValue value_from(const TensorView& tensor);

/// What a node was given: constants set once, per-sample arguments set again for every sample.
class Given {
 public:
  /// Sets the constants among `fields` in the struct at `args`. @throws with the argument's name
  Given(std::span<const Field> fields, OpSpec spec, void* args);
  Given() = default;
  const OpSpec& spec() const { return spec_; }
  size_t num_per_sample() const { return per_sample_.size(); }
  /// Sets the i-th of OpSpec::arg_inputs. @throws likewise
  void set_per_sample(size_t i, const TensorView& tensor, void* args) const;

 private:
  std::vector<Field> per_sample_;
  OpSpec spec_;
};

/// The arguments of one node.
template <class A>
class Arguments {
 public:
  using Args = A;

  /// Called by the registry, before setup.
  void bind(std::span<const Field> fields, OpSpec spec) { given_ = Given(fields, std::move(spec), &constant_); }

 protected:
  const A& constants() const { return constant_; }
  const OpSpec& spec() const { return given_.spec(); }
  bool has_per_sample() const { return given_.num_per_sample() > 0; }
  /// Overwrites the per-sample arguments; `tensor(i)` is the i-th of OpSpec::arg_inputs.
  template <class Fn>
  void take_per_sample(A& args, Fn&& tensor) const {
    for (size_t i = 0; i < given_.num_per_sample(); ++i) given_.set_per_sample(i, tensor(static_cast<int>(i)), &args);
  }

 private:
  A constant_;
  Given given_;
};

/// Base of operators that work sample by sample, with an argument struct `A` and, if wanted, a state `S` that passes
/// from infer to run.
template <class A, class S = Local>
class SampleOperator : public SampleOperatorBase, public Arguments<A> {
 public:
  /// Checks the constant arguments and prepares tables; runs once when the pipeline is built.
  virtual void setup() {}

  std::unique_ptr<Local> make_local() const final {
    auto kept = std::make_unique<Kept>();
    kept->args = &this->constants();
    // No copy for each worker where none is per sample: a list of files may have millions of entries.
    if (this->has_per_sample()) kept->args = &kept->own.emplace(this->constants());
    return kept;
  }
  void prepare(Sample& s) const final {
    if (Kept& mine = kept(s); mine.own)
      this->take_per_sample(*mine.own, [&](int i) -> const TensorView& { return s.arg_in(i).tensor; });
  }

 protected:
  const A& args(const Sample& s) const { return *kept(s).args; }
  S& state(const Sample& s) const { return kept(s).state; }

 private:
  struct Kept : Local {
    const A* args = nullptr;
    std::optional<A> own;
    S state;
  };
  static Kept& kept(const Sample& s) { return static_cast<Kept&>(*s.local()); }
};

/// A batch at an operator that needs all samples at once.
struct BatchContext {
  int64_t iteration = 0;
  std::span<const SampleId> ids;
  std::vector<const TensorList*> inputs;
  std::vector<const TensorList*> arg_inputs;
  std::vector<TensorList> outputs;
};

class BatchOperatorBase : public Operator {
 public:
  BatchOperatorBase() { traits_.batch = this; }
  virtual void run(BatchContext&) const = 0;
};

/// Base of operators that need the whole batch at once, with an argument struct `A`.
template <class A>
class BatchOperator : public BatchOperatorBase, public Arguments<A> {
 public:
  virtual void setup() {}

 protected:
  /// The arguments of sample i.
  A args(const BatchContext& batch, int64_t i) const {
    A args = this->constants();
    this->take_per_sample(args,
                          [&](int k) -> const TensorView& { return (*batch.arg_inputs[static_cast<size_t>(k)])[i]; });
    return args;
  }
};

}  // namespace penstock
