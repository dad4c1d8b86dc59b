#include "core/check.h"
#include "ops/elements/element_form.h"
#include "ops/region.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct ElementExtractArgs {
  std::vector<int64_t> element_map;
};

/// Takes one element: the pipeline makes several operators of one with more outputs.
class ElementExtract final : public SampleOperator<ElementExtractArgs>, public ElementForm {
 public:
  ElementExtract() {
    traits_.goes_by_descriptors = traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
  }
  void setup() override {
    for (const int64_t element : constants().element_map)
      PENSTOCK_CHECK(element >= 0, ArgumentError, "`element_map` must not hold negative numbers, got {}", element);
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "a sequence needs at least one axis, got a scalar");
    PENSTOCK_CHECK(in.layout.empty() || in.layout[0] == 'F', ArgumentError,
                   "the layout of a sequence must begin with F, got \"{}\"", in.layout.view());
    PENSTOCK_CHECK(element() < in.shape[0], IndexError, "there is no element {} in a sequence of {}", element(),
                   in.shape[0]);
    TensorDesc out = in;
    out.shape.erase(0);
    if (!in.layout.empty()) out.layout = Layout(in.layout.view().substr(1));
    s.out(0).describe(out);
  }
  void need(Sample& s) const override { s.need(0, s.wanted(0).with_first(element(), element() + 1)); }
  void run(Sample& s) const override {
    if (s.wanted(0).empty()) return;
    copy_part(s.in(0), s.wanted(0).with_first(element(), element() + 1), s.out(0).tensor.data);
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc& out = s.out(0).tensor;
    ElementView view;
    view.start[0] = element() - s.in(0).held.begin(0);
    for (int axis = 0; axis < out.shape.ndim(); ++axis) {
      view.start[static_cast<size_t>(axis + 1)] = s.out(0).held.begin(axis) - s.in(0).held.begin(axis + 1);
      view.axis[static_cast<size_t>(axis)] = axis + 1;
      view.step[static_cast<size_t>(axis)] = 1;
    }
    work.begin(cut(out, s.out(0).held));
    work.load(work.input(0, held_part(s.in(0)), view));
  }

 private:
  int64_t element() const { return constants().element_map[0]; }
};

}  // namespace

[[gnu::cold]] void register_element_extract(Registry& r) {
  r.add<ElementExtract>("element_extract")
      .doc("Takes elements of a sequence along its first axis, each as an output of its own.")
      .input("sequence", {},
             "Tensor of any type with at least one axis; the layout, where there is one, begins with F.")
      .output("element", "An output for each number in `element_map`: the element without the first axis.")
      .count_outputs([](const OpSpec& spec) {
        std::vector<int64_t> map;
        take_constant(spec, "element_map", map);
        PENSTOCK_CHECK(!map.empty(), ArgumentError, "`element_map` must name at least one element");
        return static_cast<int>(map.size());
      })
      .arg("element_map", &ElementExtractArgs::element_map, "Numbers of the elements, from 0 on.", kRequired)
      .example({{"element_map", {2, 0}}});
}

}  // namespace penstock
