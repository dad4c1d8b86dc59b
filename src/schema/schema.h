// How an operator describes itself: the one place from which calls, stubs, reference pages and tests are made.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <penstock/graph.h>

#include "schema/example.h"
#include "schema/operator.h"

namespace penstock {

/// Layouts or devices, as literals.
using Names = std::vector<std::string_view>;

enum ArgFlags : unsigned {
  kConstant = 0,
  kPerSample = 1,  ///< may be a node that gives one value per sample
  kRequired = 2,
  kHidden = 4,       ///< accepted, not shown
  kIgnored = 8,      ///< accepted for the sake of DALI's scripts, without effect
  kDeprecated = 16,  ///< DALI warns of it
};

struct ArgSpec {
  std::string name;
  ArgType type = ArgType::kInt;
  ArgValue fallback;  ///< from the default-constructed argument struct
  std::string doc;
  unsigned flags = kConstant;
};

struct InputSpec {
  std::string name;
  std::vector<std::string> layouts;  ///< allowed layouts; an unlabelled input takes the first of its rank; empty: any
  std::string doc;
  bool optional = false;
  bool variadic = false;    ///< this input may be repeated (cat, stack)
  bool reads_data = false;  ///< infer looks into the data, so the producer runs first
  std::string holds;        ///< what tests fill it with; see OpBuilder::holds
};

struct OutputSpec {
  std::string name;
  std::string doc;
};

enum class OpKind { kSample, kBatch, kReader, kExternal };

/// Adds a node to the graph and gives its outputs.
using AddNode = std::function<std::vector<Node>(OpNode)>;
/// Adds the nodes that stand for one of an operator, and gives its outputs.
using Expansion = std::function<std::vector<Node>(const AddNode&, const OpNode&)>;

struct OpSchema {
  std::string name;  ///< as in fn: "decoders.image"
  std::string doc;
  OpKind kind = OpKind::kSample;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<ArgSpec> args;
  std::vector<std::string> aliases;  ///< DALI's older names for it
  std::vector<std::string> dali_devices = {"cpu", "gpu"};
  bool random = false;               ///< takes `seed`
  bool keep = false;                 ///< never dropped for being unread
  bool hidden = false;               ///< no fn.* function of its own
  double tolerance = 0;              ///< CPU and GPU agree within this (0: bit for bit)
  Example example;                   ///< arguments that show what it does; those without a default at least
  std::string host_only;             ///< why no GPU does its work; empty where one does
  std::vector<std::string> differs;  ///< how it differs from DALI's, one sentence each
  /// The argument, a dict, whose names are those of the outputs, in order; Python then gives a dict of nodes.
  std::string outputs_by;
  /// Number of outputs of a node; the size of `outputs` unless arguments decide.
  std::function<int(const OpSpec&)> count_outputs;
  std::function<std::unique_ptr<Operator>(const OpSpec&)> make;
  Expansion expand;  ///< where empty, a node of the operator stands for itself

  const ArgSpec* arg(const std::string& name) const;
  int num_outputs(const OpSpec& spec) const {
    return count_outputs ? count_outputs(spec) : static_cast<int>(outputs.size());
  }
};

/// What all descriptions share. A process describes each operator once, so the least code is the best.
class Description {
 public:
  explicit Description(OpSchema& schema) : schema_(schema), fields_(std::make_shared<std::vector<Field>>()) {}

 protected:
  using Setter = std::function<void(void* args, const ArgValue&)>;
  void add_input(std::string_view name, const Names& layouts, std::string_view doc);
  void add_output(std::string_view name, std::string_view doc);
  void add_arg(std::string_view name, ArgType type, ArgValue fallback, std::string_view doc, unsigned flags);
  void add_field(std::string_view name, Setter set);
  void name_outputs(std::string_view arg);

  OpSchema& schema_;
  std::shared_ptr<std::vector<Field>> fields_;
};

/// Fluent description of operator `Op`, whose argument struct is Op::Args.
template <class Op>
class OpBuilder : Description {
 public:
  using Args = typename Op::Args;

  explicit OpBuilder(OpSchema& schema) : Description(schema) { schema_.make = maker<Op>(); }
  /// Nodes for which `when` holds are made by `Other`, which takes the same arguments: a sample operator that needs the
  /// whole batch in one of its modes.
  template <class Other>
  OpBuilder& instead(std::function<bool(const OpSpec&)> when) {
    static_assert(std::is_same_v<typename Other::Args, Args>);
    schema_.make = [when = std::move(when), other = maker<Other>(), usual = schema_.make](const OpSpec& spec) {
      return when(spec) ? other(spec) : usual(spec);
    };
    return *this;
  }
  OpBuilder& doc(std::string_view text) { return schema_.doc = text, *this; }
  OpBuilder& input(std::string_view name, const Names& layouts, std::string_view doc) {
    return add_input(name, layouts, doc), *this;
  }
  /// The input named last may be left out.
  OpBuilder& optional() { return schema_.inputs.back().optional = true, *this; }
  OpBuilder& variadic() { return schema_.inputs.back().variadic = true, *this; }
  /// infer reads the data of the input named last.
  OpBuilder& reads_data() { return schema_.inputs.back().reads_data = true, *this; }
  /// What tests fill the input named last with, where not any tensor of its layouts will do: "jpeg" (bytes of a
  /// file), "path" (of a file), "class" (a small int32), "number" (a float), "count" (a positive int32), "boxes",
  /// "labels" (one for each of those boxes), "points", "alike" (a tensor whose extents all samples share), or
  /// "nothing": it is left out.
  OpBuilder& holds(std::string_view what) { return schema_.inputs.back().holds = what, *this; }
  OpBuilder& output(std::string_view name, std::string_view doc) { return add_output(name, doc), *this; }
  OpBuilder& count_outputs(std::function<int(const OpSpec&)> fn) {
    return schema_.count_outputs = std::move(fn), *this;
  }
  /// There is an output for each name in the dict argument `arg`.
  OpBuilder& outputs_by(std::string_view arg) { return name_outputs(arg), *this; }
  /// An argument held in a field of Args, or of a base of Args.
  template <class Base, class T>
  [[gnu::cold]] OpBuilder& arg(std::string_view name, T Base::*field, std::string_view doc,
                               unsigned flags = kConstant) {
    const Args defaults{};
    add_arg(name, ArgTypeOf<T>::value, value_of(defaults.*field), doc, flags);
    add_field(name, [field](void* args, const ArgValue& value) { assign(static_cast<Args*>(args)->*field, value); });
    return *this;
  }
  /// An argument held in element `k` of an array in Args.
  template <class Base, class T, size_t n>
  [[gnu::cold]] OpBuilder& arg(std::string_view name, std::array<T, n> Base::*field, size_t k, std::string_view doc,
                               unsigned flags = kConstant) {
    const Args defaults{};
    add_arg(name, ArgTypeOf<T>::value, value_of((defaults.*field)[k]), doc, flags);
    add_field(name,
              [field, k](void* args, const ArgValue& value) { assign((static_cast<Args*>(args)->*field)[k], value); });
    return *this;
  }
  /// An argument of DALI's that has no meaning here; its documentation says why.
  OpBuilder& ignored(std::string_view name, ArgType type, std::string_view why, unsigned flags = 0) {
    return add_arg(name, type, {}, why, kIgnored | flags), *this;
  }
  OpBuilder& alias(std::string_view name) { return schema_.aliases.emplace_back(name), *this; }
  OpBuilder& kind(OpKind kind) { return schema_.kind = kind, *this; }
  OpBuilder& devices(const Names& names) { return schema_.dali_devices = {names.begin(), names.end()}, *this; }
  OpBuilder& random() { return schema_.random = true, *this; }
  /// A node of the operator becomes those that `expand` adds.
  OpBuilder& expands(Expansion expand) { return schema_.expand = std::move(expand), *this; }
  OpBuilder& keep() { return schema_.keep = true, *this; }
  OpBuilder& hidden() { return schema_.hidden = true, *this; }
  OpBuilder& tolerance(double value) { return schema_.tolerance = value, *this; }
  /// Arguments of a call that is shown in the reference and that conformance tests make.
  OpBuilder& example(std::initializer_list<ExampleArg> args) { return schema_.example = args, *this; }
  /// The operator has no GPU form, for that reason. Every other one must have one, or only rename its input.
  OpBuilder& host_only(std::string_view reason) { return schema_.host_only = reason, *this; }
  /// How it differs from DALI's operator of the name; may be called again for the next difference.
  OpBuilder& differs(std::string_view how) { return schema_.differs.emplace_back(how), *this; }

 private:
  template <class Made>
  std::function<std::unique_ptr<Operator>(const OpSpec&)> maker() const {
    return [fields = fields_](const OpSpec& spec) -> std::unique_ptr<Operator> {
      auto op = std::make_unique<Made>();
      op->bind(*fields, spec);
      op->setup();
      return op;
    };
  }
};

}  // namespace penstock
