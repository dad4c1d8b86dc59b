// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

struct RandomObjectBboxArgs {
  Arg<int64_t> background = {};
  Constant<bool> cache_objects = {};
  Arg<Floats> class_weights = {};
  Arg<Ints> classes = {};
  Arg<double> foreground_prob = {};
  Constant<std::string> format = {};
  Constant<bool> ignore_class = {};
  Constant<int64_t> k_largest = {};
  Constant<bool> output_class = {};
  Constant<int64_t> seed = {};
  Arg<Ints> threshold = {};
  CommonArgs common = {};
};
/// The box of a random object of a label map. An object is a set of elements of one label that touch along an axis.
/// With probability `foreground_prob` a class is picked, and then one of its objects; otherwise, and where there is
/// none, the box is the whole map.
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
