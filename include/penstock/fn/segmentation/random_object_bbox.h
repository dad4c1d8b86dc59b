// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

/// Arguments of random_object_bbox().
struct RandomObjectBboxArgs {
  /// Label that is no object. When not given: 0, or where `classes` has 0, one less than the least of them. Default:
  /// `0`.
  Arg<int64_t> background = {};
  /// Remembers the objects of maps, which are told apart by a hash of their bytes, for when they come again. Default:
  /// `false`.
  Constant<bool> cache_objects = {};
  /// How likely each of `classes` is, relatively; of those in the map with an object that will do. Without `classes`
  /// they stand for the labels 0, 1, ... without the background.
  Arg<Floats> class_weights = {};
  /// Labels that are objects; all but the background when not given.
  Arg<Ints> classes = {};
  /// Probability that an object is picked. Default: `1.0`.
  Arg<double> foreground_prob = {};
  /// "anchor_shape": begin and extents; "start_end": begin and end; "box": both in one. Default: `"anchor_shape"`.
  Constant<std::string> format = {};
  /// All objects are as likely, whatever their class. Default: `false`.
  Constant<bool> ignore_class = {};
  /// Only so many objects, those with the largest boxes, are picked from.
  Constant<int64_t> k_largest = {};
  /// Adds an output with the class. Default: `false`.
  Constant<bool> output_class = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Least extents of the box: one number, or one for each axis.
  Arg<Ints> threshold = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The box of a random object of a label map. An object is a set of elements of one label that touch along an axis.
/// With probability `foreground_prob` a class is picked, and then one of its objects; otherwise, and where there is
/// none, the box is the whole map.
/// @param labels  Label map of any number of axes: integers or bools.
/// @return in this order:
/// - `anchor`: int32: where the box begins, a number for each axis. With format "box": begin and end.
/// - `shape`: int32: the box's extents, or its end. Not there with format "box".
/// - `label`: With `output_class`: the object's class, or the background where the box is the whole map.
inline std::vector<Node> random_object_bbox(Graph& graph, Node labels, const RandomObjectBboxArgs& args = {}) {
  return Call("segmentation.random_object_bbox", {labels}, args.common)
      .arg("background", args.background)
      .arg("cache_objects", args.cache_objects)
      .arg("class_weights", args.class_weights)
      .arg("classes", args.classes)
      .arg("foreground_prob", args.foreground_prob)
      .arg("format", args.format)
      .arg("ignore_class", args.ignore_class)
      .arg("k_largest", args.k_largest)
      .arg("output_class", args.output_class)
      .arg("seed", args.seed)
      .arg("threshold", args.threshold)
      .add(graph);
}

}  // namespace segmentation

}  // namespace penstock::fn
