// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BatchPermutationArgs {
  Constant<bool> allow_repetitions = {};
  Constant<bool> no_fixed_points = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// A random order of the samples of a batch, for `permute_batch`.
inline Node batch_permutation(Graph& graph, const BatchPermutationArgs& args = {}) {
  return Call("batch_permutation", {}, args.common)
      .arg("allow_repetitions", args.allow_repetitions)
      .arg("no_fixed_points", args.no_fixed_points)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

struct CastArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type.
inline Node cast(Graph& graph, Node data, const CastArgs& args = {}) {
  return Call("cast", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

struct CastLikeArgs {
  CommonArgs common = {};
};
/// Converts to the type of another tensor, as `cast` does.
inline Node cast_like(Graph& graph, Node data, Node dtype_source, const CastLikeArgs& args = {}) {
  return Call("cast_like", {data, dtype_source}, args.common).add(graph).front();
}

struct CatArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  CommonArgs common = {};
};
/// Joins tensors along an axis that they have.
inline Node cat(Graph& graph, std::vector<Node> input, const CatArgs& args = {}) {
  return Call("cat", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

struct ConstantArgs {
  Constant<DType> dtype = {};
  Constant<Floats> fdata = {};
  Constant<Ints> idata = {};
  Constant<std::string> layout = {};
  Constant<Ints> shape = {};
  CommonArgs common = {};
};
/// The same tensor for every sample.
inline Node constant(Graph& graph, const ConstantArgs& args = {}) {
  return Call("constant", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("fdata", args.fdata)
      .arg("idata", args.idata)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct CopyArgs {
  CommonArgs common = {};
};
/// Copies the data.
inline Node copy(Graph& graph, Node data, const CopyArgs& args = {}) {
  return Call("copy", {data}, args.common).add(graph).front();
}

struct ExpandDimsArgs {
  Constant<Ints> axes = {};
  Constant<std::string> new_axis_names = {};
  CommonArgs common = {};
};
/// Inserts axes of extent 1 without touching the data.
inline Node expand_dims(Graph& graph, Node data, const ExpandDimsArgs& args = {}) {
  return Call("expand_dims", {data}, args.common)
      .arg("axes", args.axes)
      .arg("new_axis_names", args.new_axis_names)
      .add(graph)
      .front();
}

struct FullArgs {
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor filled with a value, repeated by the rules of broadcasting.
inline Node full(Graph& graph, Node fill_value, const FullArgs& args = {}) {
  return Call("full", {fill_value}, args.common).arg("layout", args.layout).arg("shape", args.shape).add(graph).front();
}

struct FullLikeArgs {
  CommonArgs common = {};
};
/// A tensor of the shape, type and layout of another, filled with a value.
inline Node full_like(Graph& graph, Node data_like, Node fill_value, const FullLikeArgs& args = {}) {
  return Call("full_like", {data_like, fill_value}, args.common).add(graph).front();
}

struct GetPropertyArgs {
  Constant<std::string> key = {};
  CommonArgs common = {};
};
/// What is known about a sample besides its data, as the bytes of a text.
inline Node get_property(Graph& graph, Node data, const GetPropertyArgs& args = {}) {
  return Call("get_property", {data}, args.common).arg("key", args.key).add(graph).front();
}

struct OneHotArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  Constant<DType> dtype = {};
  Constant<int64_t> num_classes = {};
  Constant<double> off_value = {};
  Constant<double> on_value = {};
  CommonArgs common = {};
};
/// Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a
/// vector whatever its number of axes.
inline Node one_hot(Graph& graph, Node labels, const OneHotArgs& args = {}) {
  return Call("one_hot", {labels}, args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .arg("dtype", args.dtype)
      .arg("num_classes", args.num_classes)
      .arg("off_value", args.off_value)
      .arg("on_value", args.on_value)
      .add(graph)
      .front();
}

struct OnesArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of ones.
inline Node ones(Graph& graph, const OnesArgs& args = {}) {
  return Call("ones", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct OnesLikeArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// A tensor full of ones with the shape and layout of another.
inline Node ones_like(Graph& graph, Node data_like, const OnesLikeArgs& args = {}) {
  return Call("ones_like", {data_like}, args.common).arg("dtype", args.dtype).add(graph).front();
}

struct PadArgs {
  Arg<Ints> align = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Arg<double> fill_value = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch.
inline Node pad(Graph& graph, Node data, const PadArgs& args = {}) {
  return Call("pad", {data}, args.common)
      .arg("align", args.align)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("fill_value", args.fill_value)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct PermuteBatchArgs {
  Arg<Ints> indices = {};
  CommonArgs common = {};
};
/// Rearranges the samples of a batch; nothing is copied.
inline Node permute_batch(Graph& graph, Node data, const PermuteBatchArgs& args = {}) {
  return Call("permute_batch", {data}, args.common).arg("indices", args.indices).add(graph).front();
}

struct ReinterpretArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Reads the bytes of a tensor as another type, and gives it another shape or layout.
inline Node reinterpret(Graph& graph, Node data, std::optional<Node> shape_input, const ReinterpretArgs& args = {}) {
  return Call("reinterpret", {data}, args.common)
      .input(shape_input)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
      .add(graph)
      .front();
}

struct ReshapeArgs {
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Gives a tensor another shape or layout without touching its data.
inline Node reshape(Graph& graph, Node data, std::optional<Node> shape_input, const ReshapeArgs& args = {}) {
  return Call("reshape", {data}, args.common)
      .input(shape_input)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
      .add(graph)
      .front();
}

struct ShapesArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// The shape of each sample.
inline Node shapes(Graph& graph, Node data, const ShapesArgs& args = {}) {
  return Call("shapes", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

struct SqueezeArgs {
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  CommonArgs common = {};
};
/// Removes axes of extent 1 without touching the data.
inline Node squeeze(Graph& graph, Node data, const SqueezeArgs& args = {}) {
  return Call("squeeze", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .add(graph)
      .front();
}

struct StackArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  CommonArgs common = {};
};
/// Joins tensors along a new axis.
inline Node stack(Graph& graph, std::vector<Node> input, const StackArgs& args = {}) {
  return Call("stack", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

struct TransposeArgs {
  Constant<std::string> output_layout = {};
  Constant<Ints> perm = {};
  Constant<bool> transpose_layout = {};
  CommonArgs common = {};
};
/// Permutes the axes.
inline Node transpose(Graph& graph, Node data, const TransposeArgs& args = {}) {
  return Call("transpose", {data}, args.common)
      .arg("output_layout", args.output_layout)
      .arg("perm", args.perm)
      .arg("transpose_layout", args.transpose_layout)
      .add(graph)
      .front();
}

struct ZerosArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of zeros.
inline Node zeros(Graph& graph, const ZerosArgs& args = {}) {
  return Call("zeros", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

struct ZerosLikeArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// A tensor full of zeros with the shape and layout of another.
inline Node zeros_like(Graph& graph, Node data_like, const ZerosLikeArgs& args = {}) {
  return Call("zeros_like", {data_like}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
