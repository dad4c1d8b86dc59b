/// @file
/// Arguments of operators in C++ calls: fn::resize(graph, images, {.size = {224, 224}}).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <penstock/graph.h>

namespace penstock {

namespace detail {
struct NoElement {};
template <class T>
struct ElementOf {
  using type = NoElement;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using type = T;
};
/// Converted without a word, but for a fraction that would be cut off and text that would be `true`.
template <class U, class T>
concept Gives = std::convertible_to<U, T> &&
    !(std::is_floating_point_v<std::remove_cvref_t<U>> &&
      std::is_integral_v<T>)&&!(std::is_pointer_v<std::decay_t<U>> && std::same_as<T, bool>);
}  // namespace detail

/// An argument that may stay unset or have one value for all samples. Lists are written {224, 224};
/// a list of one may be written without braces.
template <class T>
class Constant {
 public:
  Constant() = default;  ///< unset: the operator's default holds
  /// One value, of a type that converts to T; a fraction where T is an integer does not compile.
  template <detail::Gives<T> U>
  Constant(U&& value) : value_(T(std::forward<U>(value))) {}
  /// A list in braces.
  Constant(std::initializer_list<typename detail::ElementOf<T>::type> values) requires(
      !std::same_as<typename detail::ElementOf<T>::type, detail::NoElement>)
      : value_(values) {}
  /// A list of one element.
  template <detail::Gives<typename detail::ElementOf<T>::type> U>
  requires(!std::convertible_to<U, T>) Constant(U&& element)
      : value_(T(1, static_cast<typename detail::ElementOf<T>::type>(std::forward<U>(element)))) {}

  /// The value; none when the argument is unset.
  const std::optional<T>& value() const { return value_; }

 private:
  std::optional<T> value_;
};

/// An argument that may also come from a node, which gives one value per sample.
template <class T>
class Arg : public Constant<T> {
 public:
  using Constant<T>::Constant;
  /// One value per sample: a tensor of the node's output for each.
  template <std::same_as<Node> N>  // a template, so that {224, 224} is a list and not a node
  Arg(N node) : node_(node) {}

  /// The node that gives the values; none when they are constant or unset.
  const std::optional<Node>& node() const { return node_; }

 private:
  std::optional<Node> node_;
};

/// What every operator takes besides its own arguments.
struct CommonArgs {
  std::string name = {};       ///< unique in its graph; readers and external sources are found by it
  std::string device = "cpu";  ///< "cpu", "gpu" or "mixed"
  bool preserve = false;       ///< stays although nothing reads its outputs
};

/// Builds one operator of a graph argument by argument; the calls in <penstock/fn.h> are made of it.
class Call {
 public:
  /// @param op  registered name, such as "decoders.image"
  /// @param inputs  the inputs that every call has, in the operator's order
  Call(std::string op, std::vector<Node> inputs, const CommonArgs& common) {
    node_.op = std::move(op);
    node_.inputs = std::move(inputs);
    node_.name = common.name;
    node_.device = common.device;
    node_.preserve = common.preserve;
  }
  /// Appends an input where there is one.
  Call& input(const std::optional<Node>& node) {
    if (node) node_.inputs.push_back(*node);
    return *this;
  }
  /// Sets an argument where it has a value. Enumerations become integers.
  template <class T>
  Call& arg(const char* name, const Constant<T>& arg) {
    if (!arg.value()) return *this;
    if constexpr (std::is_enum_v<T>)
      node_.args[name] = static_cast<int64_t>(*arg.value());
    else
      node_.args[name] = *arg.value();
    return *this;
  }
  /// Likewise, with the node where one gives the values.
  template <class T>
  Call& arg(const char* name, const Arg<T>& arg) {
    if (arg.node()) node_.arg_inputs[name] = *arg.node();
    return this->arg(name, static_cast<const Constant<T>&>(arg));
  }
  /// Adds the operator. It throws what Graph::add throws.
  std::vector<Node> add(Graph& graph) { return graph.add(std::move(node_)); }
  /// The same for an operator with N outputs.
  template <size_t N>
  std::array<Node, N> add(Graph& graph) {
    const std::vector<Node> nodes = add(graph);
    std::array<Node, N> outputs;
    for (size_t i = 0; i < N; ++i) outputs[i] = nodes.at(i);
    return outputs;
  }

 private:
  OpNode node_;
};

namespace fn {

using Ints = std::vector<int64_t>;         ///< a list of integers as an argument
using Floats = std::vector<double>;        ///< a list of floats
using Strings = std::vector<std::string>;  ///< a list of texts

}  // namespace fn
}  // namespace penstock
