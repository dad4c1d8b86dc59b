#include "ops/mix/mix.h"

#include <cmath>

#include "core/check.h"
#include "schema/take_constant.h"

namespace penstock {

void check_mixable(const TensorDesc& own, const TensorDesc& other) {
  PENSTOCK_CHECK(own.shape == other.shape && own.dtype == other.dtype, ArgumentError,
                 "neighbours in a batch must have one shape and type to be mixed; got {} of {} and {} of {}",
                 to_string(own.shape), name_of(own.dtype), to_string(other.shape), name_of(other.dtype));
}

MixNodes::MixNodes(const AddNode& add_node, const OpNode& mix) : add_node_(add_node), mix_(mix) {
  MixArgs args;
  const OpSpec spec{.args = mix.args, .arg_inputs = {}};
  take_constant(spec, "alpha", args.alpha);
  take_constant(spec, "num_classes", args.num_classes);
  PENSTOCK_CHECK(args.alpha >= 0 && std::isfinite(args.alpha), ArgumentError,
                 "`alpha` must be finite and not negative, got {}", args.alpha);
  constexpr int64_t kMostClasses = 1 << 24;
  PENSTOCK_CHECK(args.num_classes >= 0 && args.num_classes <= kMostClasses, ArgumentError,
                 "`num_classes` must lie in [0, {}], got {}", kMostClasses, args.num_classes);
}

OpNode MixNodes::blank(std::string op) const {
  OpNode node;
  node.op = std::move(op);
  node.origin = mix_.origin;
  node.preserve = mix_.preserve;
  node.when = mix_.when;
  return node;
}

std::vector<Node> MixNodes::add(std::string op, std::vector<Node> inputs, const std::vector<std::string>& passed_args,
                                std::map<std::string, Node> arg_inputs) {
  OpNode node = blank(std::move(op));
  node.inputs = std::move(inputs);
  for (const std::string& name : passed_args)
    if (const auto given = mix_.args.find(name); given != mix_.args.end()) node.args.insert(*given);
  node.arg_inputs = std::move(arg_inputs);
  return add_node_(std::move(node));
}

Node MixNodes::previous(const Node& node, const std::string& device) {
  OpNode previous = blank("_previous_sample");
  previous.inputs = {node};
  previous.device = device;
  return add_node_(std::move(previous))[0];
}

Node MixNodes::add_mixed(std::string op, std::map<std::string, Node> arg_inputs) {
  OpNode node = blank(std::move(op));
  node.inputs = {images(), previous(images(), mix_.device)};
  node.arg_inputs = std::move(arg_inputs);
  node.name = mix_.name;
  node.device = mix_.device;
  return add_node_(std::move(node))[0];
}

Node MixNodes::mixed_labels(const Node& share) {
  return add("_mix_labels", {labels(), previous(labels(), "cpu")}, {"num_classes"}, {{"share", share}})[0];
}

}  // namespace penstock
