// What mixup and cutmix share: the nodes that stand for them, and their description.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <penstock/graph.h>

#include "schema/registry.h"

namespace penstock {

struct MixArgs {
  float alpha = 1;
  int64_t num_classes = 0;
};

/// @throws ArgumentError where samples differ in shape or type
void check_mixable(const TensorDesc& own, const TensorDesc& other);

/// Adds the nodes of a mix to a graph.
class MixNodes {
 public:
  /// @throws ArgumentError for arguments out of range
  MixNodes(const AddNode& add_node, const OpNode& mix);
  Node images() const { return mix_.inputs[0]; }
  Node labels() const { return mix_.inputs[1]; }
  /// A node's outputs.
  std::vector<Node> add(std::string op, std::vector<Node> inputs, const std::vector<std::string>& passed_args,
                        std::map<std::string, Node> arg_inputs = {});
  /// The node of pixels, which bears the mix's name and is made where the mix was asked for.
  Node add_mixed(std::string op, std::map<std::string, Node> arg_inputs);
  /// A number in [0, 1] with the distribution Beta(alpha, alpha).
  Node share() { return add("_mix_share", {}, {"alpha", "seed"})[0]; }
  /// Labels mixed in that share.
  Node mixed_labels(const Node& share);

 private:
  OpNode blank(std::string op) const;
  Node previous(const Node& node, const std::string& device);

  const AddNode& add_node_;
  const OpNode& mix_;
};

/// Describes what both have in common.
template <class Op>
OpBuilder<Op> add_mix(Registry& r, const char* name, const char* doc, const Names& layouts, const char* images) {
  OpBuilder<Op> op = r.add<Op>(name);
  op.doc(doc)
      .kind(OpKind::kBatch)
      .input("images", layouts, images)
      .holds("alike")
      .input("labels", {}, "A class number, or FLOAT: a share for each class.")
      .holds("class")
      .output("images", "Mixed; shape, type and layout of the input.")
      .output("labels", "FLOAT: a share for each class. They are mixed as the pixels are.")
      .arg("alpha", &MixArgs::alpha,
           "The share of a sample's own pixels has the distribution Beta(alpha, alpha). 0: everything stays.")
      .arg("num_classes", &MixArgs::num_classes,
           "How many classes there are; may be left out where labels hold a share for each.")
      .random()
      .example({{"num_classes", 7}})
      .differs("DALI has no such operator.");
  return op;
}

}  // namespace penstock
