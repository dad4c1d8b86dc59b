#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/check.h"
#include "core/convert.h"
#include "core/wide_random.h"
#include "ops/segmentation/object_cache.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct RandomObjectBboxArgs {
  bool ignore_class = false, output_class = false, cache_objects = false;
  float foreground_prob = 1;
  std::optional<std::vector<int64_t>> classes, threshold;
  std::optional<std::vector<float>> class_weights;
  int64_t background = 0;
  std::optional<int64_t> k_largest;
  std::string format = "anchor_shape";
};

/// Which labels are objects, and how likely each of them is.
struct Foreground {
  bool all = true;  // all labels but the background, each as likely
  std::vector<int64_t> classes;
  std::vector<double> weights;
  int64_t background = 0;
};

class RandomObjectBbox final : public SampleOperator<RandomObjectBboxArgs, Foreground> {
  using Component = kernels::Component;

 public:
  void setup() override {
    const RandomObjectBboxArgs& a = constants();
    PENSTOCK_CHECK(a.format == "anchor_shape" || a.format == "start_end" || a.format == "box", ArgumentError,
                   "Invalid output format: \"{}\"; use \"anchor_shape\", \"start_end\" or \"box\"", a.format);
    PENSTOCK_CHECK(!a.k_largest || *a.k_largest >= 1, ArgumentError, "`k_largest` must be at least 1; got {}",
                   a.k_largest.value_or(0));
    PENSTOCK_CHECK(
        !a.ignore_class || !(spec().given("classes") || spec().given("class_weights") || a.output_class), ArgumentError,
        "Class-related arguments `classes`, `class_weights` and `output_class` cannot be used with `ignore_class`");
    background_given_ = spec().given("background");
  }

  void infer(Sample& s) const override {
    const int ndim = s.in(0).tensor.shape.ndim();
    PENSTOCK_CHECK(ndim > 0, ArgumentError, "a label map needs at least one axis, got a scalar");
    const RandomObjectBboxArgs& a = args(s);
    PENSTOCK_CHECK(a.foreground_prob >= 0 && a.foreground_prob <= 1, ArgumentError,
                   "`foreground_prob` must lie in [0, 1], got {}", a.foreground_prob);
    if (a.threshold)
      PENSTOCK_CHECK(a.threshold->size() == 1 || a.threshold->size() == static_cast<size_t>(ndim), ArgumentError,
                     "`threshold` takes one number, or one for each of {} axes; got {}", ndim, a.threshold->size());
    state(s) = foreground(a);
    const bool box = a.format == "box";
    for (int i = 0; i < (box ? 1 : 2); ++i)
      s.out(i).describe({.dtype = DType::kInt32, .shape = {box ? 2 * ndim : ndim}, .layout = {}});
    if (a.output_class) s.out(box ? 1 : 2).describe({.dtype = DType::kInt32, .shape = {}, .layout = {}});
  }

  void run(Sample& s) const override {
    const TensorView& labels = s.in(0).tensor;
    Component picked{.label = state(s).background};
    for (int axis = 0; axis < labels.shape.ndim(); ++axis)
      picked.end[static_cast<size_t>(axis)] = static_cast<int32_t>(std::min<int64_t>(labels.shape[axis], INT32_MAX));
    WideRandom random(s.random());
    // The draw is made in any case, so that the other draws do not depend on it.
    const bool wanted = random.uniform() < static_cast<double>(args(s).foreground_prob);
    if (wanted && labels.shape.volume() > 0) {
      const Objects objects = objects_of(labels, state(s));
      if (const Component* one = pick(s, *objects, random)) picked = *one;
    }
    write(s, picked);
  }

 private:
  Foreground foreground(const RandomObjectBboxArgs& a) const {
    Foreground f{.all = !a.classes && !a.class_weights, .background = a.background};
    if (a.classes) f.classes = *a.classes;
    const auto is_class = [&](int64_t label) { return std::ranges::find(f.classes, label) != f.classes.end(); };
    if (a.classes && !background_given_ && is_class(0)) f.background = std::ranges::min(f.classes) - 1;
    if (f.background < INT32_MIN)  // labels are INT32: the greatest one that is no class
      for (f.background = INT32_MAX; is_class(f.background);) --f.background;
    PENSTOCK_CHECK(!is_class(f.background), ArgumentError,
                   "class {} is the background, too; give another `background` or remove it from `classes`",
                   f.background);
    f.weights.assign(f.classes.size(), 1);
    if (!a.class_weights) return f;
    const std::vector<float>& weights = *a.class_weights;
    PENSTOCK_CHECK(!a.classes || weights.size() == f.classes.size(), ArgumentError,
                   "`classes` and `class_weights` need as many values, got {} and {}", f.classes.size(),
                   weights.size());
    for (const float weight : weights)
      PENSTOCK_CHECK(weight >= 0 && std::isfinite(weight), ArgumentError,
                     "`class_weights` must be finite and not negative, got {}", weight);
    f.weights.assign(weights.begin(), weights.end());
    for (int64_t label = 0; f.classes.size() < weights.size(); ++label)
      if (label != f.background) f.classes.push_back(label);
    return f;
  }

  Objects objects_of(const TensorView& labels, const Foreground& f) const {
    const auto find = [&] {
      return std::make_shared<const std::vector<Component>>(kernels::Components(labels, 1, f.background).list());
    };
    return constants().cache_objects ? cache_.get(labels, f.background, find) : find();
  }

  /// One of the objects; nothing where none will do.
  const Component* pick(const Sample& s, const std::vector<Component>& objects, WideRandom& random) const {
    std::vector<const Component*> list;
    for (const Component& object : objects)
      if (is_large_enough(s, object)) list.push_back(&object);
    if (args(s).ignore_class) return pick_among(s, std::move(list), random);
    std::ranges::stable_sort(list, {}, &Component::label);
    const auto of_class = [&](int64_t label) {
      const Component like{.label = label};
      return std::equal_range(list.begin(), list.end(), &like,
                              [](const Component* a, const Component* b) { return a->label < b->label; });
    };
    std::vector<int64_t> classes = state(s).classes;
    std::vector<double> weights = state(s).weights;
    if (state(s).all) {
      for (const Component* object : list)
        if (classes.empty() || classes.back() != object->label) classes.push_back(object->label);
      weights.assign(classes.size(), 1);
    }
    for (size_t i = 0; i < classes.size(); ++i)
      if (const auto [first, last] = of_class(classes[i]); first == last) weights[i] = 0;
    const double all = std::accumulate(weights.begin(), weights.end(), 0.);
    if (all <= 0) return nullptr;
    double left = random.uniform() * all;
    size_t chosen = 0;
    for (size_t i = 0; i < classes.size(); ++i) {
      if (weights[i] == 0) continue;
      chosen = i;
      if (left < weights[i]) break;
      left -= weights[i];
    }
    const auto [first, last] = of_class(classes[chosen]);
    return pick_among(s, {first, last}, random);
  }

  const Component* pick_among(const Sample& s, std::vector<const Component*> list, WideRandom& random) const {
    if (list.empty()) return nullptr;
    const int ndim = s.in(0).tensor.shape.ndim();
    if (const auto& k = args(s).k_largest; k && *k < static_cast<int64_t>(list.size())) {
      std::ranges::stable_sort(
          list, [=](const Component* a, const Component* b) { return a->volume(ndim) > b->volume(ndim); });
      list.resize(static_cast<size_t>(*k));
    }
    return list[random.below(static_cast<uint32_t>(list.size()))];
  }

  bool is_large_enough(const Sample& s, const Component& object) const {
    const auto& threshold = args(s).threshold;
    if (!threshold) return true;
    for (size_t axis = 0; axis < static_cast<size_t>(s.in(0).tensor.shape.ndim()); ++axis)
      if (object.end[axis] - object.begin[axis] < (*threshold)[threshold->size() == 1 ? 0 : axis]) return false;
    return true;
  }

  void write(Sample& s, const Component& picked) const {
    const auto ndim = static_cast<size_t>(s.in(0).tensor.shape.ndim());
    const bool box = args(s).format == "box", shape = args(s).format == "anchor_shape";
    int32_t* begin = s.out(0).tensor.as<int32_t>();
    int32_t* end = box ? begin + ndim : s.out(1).tensor.as<int32_t>();
    for (size_t axis = 0; axis < ndim; ++axis) {
      begin[axis] = picked.begin[axis];
      end[axis] = picked.end[axis] - (shape ? picked.begin[axis] : 0);
    }
    if (args(s).output_class) *s.out(box ? 1 : 2).tensor.as<int32_t>() = convert_sat<int32_t>(picked.label);
  }

  bool background_given_ = false;
  mutable ObjectCache cache_;
};

int count_outputs(const OpSpec& spec) {
  RandomObjectBboxArgs args;
  take_constant(spec, "format", args.format);
  take_constant(spec, "output_class", args.output_class);
  return (args.format == "box" ? 1 : 2) + (args.output_class ? 1 : 0);
}

}  // namespace

[[gnu::cold]] void register_random_object_bbox(Registry& r) {
  using Args = RandomObjectBboxArgs;
  r.add<RandomObjectBbox>("segmentation.random_object_bbox")
      .doc(
          "The box of a random object of a label map. An object is a set of elements of one label that touch along an "
          "axis. With probability `foreground_prob` a class is picked, and then one of its objects; otherwise, and "
          "where there is none, the box is the whole map.")
      .input("labels", {}, "Label map of any number of axes: integers or bools.")
      .output("anchor", "int32: where the box begins, a number for each axis. With format \"box\": begin and end.")
      .output("shape", "int32: the box's extents, or its end. Not there with format \"box\".")
      .output("label", "With `output_class`: the object's class, or the background where the box is the whole map.")
      .count_outputs(count_outputs)
      .arg("foreground_prob", &Args::foreground_prob, "Probability that an object is picked.", kPerSample)
      .arg("classes", &Args::classes, "Labels that are objects; all but the background when not given.", kPerSample)
      .arg("class_weights", &Args::class_weights,
           "How likely each of `classes` is, relatively; of those in the map with an object that will do. Without "
           "`classes` they stand for the labels 0, 1, ... without the background.",
           kPerSample)
      .arg("background", &Args::background,
           "Label that is no object. When not given: 0, or where `classes` has 0, one less than the least of them.",
           kPerSample)
      .arg("threshold", &Args::threshold, "Least extents of the box: one number, or one for each axis.", kPerSample)
      .arg("k_largest", &Args::k_largest, "Only so many objects, those with the largest boxes, are picked from.")
      .arg("ignore_class", &Args::ignore_class, "All objects are as likely, whatever their class.")
      .arg("output_class", &Args::output_class, "Adds an output with the class.")
      .arg("format", &Args::format,
           "\"anchor_shape\": begin and extents; \"start_end\": begin and end; \"box\": both in one.")
      .arg("cache_objects", &Args::cache_objects,
           "Remembers the objects of maps, which are told apart by a hash of their bytes, for when they come again.")
      .random()
      .devices({"cpu"})
      .host_only("follows objects from row to row, which is no work for many threads; DALI agrees")
      .differs("Takes 64-bit labels and up to 8 axes; classes are kept in the range of int32, in DALI they wrap.")
      .differs("Refuses negative weights and probabilities outside of [0, 1].");
}

}  // namespace penstock
