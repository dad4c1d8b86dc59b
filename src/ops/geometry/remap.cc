#include "core/check.h"
#include "ops/base/mapped.h"
#include "ops/base/neighbourhood.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct RemapArgs {
  InterpType interp = InterpType::kLinear;
  std::string pixel_origin = "corner";
  std::string border_mode = "constant";
  std::vector<float> fill_value;
};

/// What a map's axes are.
struct MapAxes {
  bool by_frame = false;
  int rows = 0;  ///< the axis of rows; columns come behind it
};

MapAxes axes_of(const TensorDesc& map, const TensorDesc& in) {
  const int ndim = map.shape.ndim();
  const bool sequence = in.layout.view().starts_with('F');
  const bool by_frame = map.layout.empty()
                            ? sequence && ndim >= 3 && map.shape[0] == in.shape[0] && !(ndim == 3 && map.shape[2] == 1)
                            : map.layout[0] == 'F';
  const int first = by_frame ? 1 : 0, rest = ndim - first;
  PENSTOCK_CHECK(rest == 2 || (rest == 3 && map.shape[ndim - 1] == 1), ArgumentError,
                 "a map must have one value for each row and column, as HW or HWC, or FHW for frames; got shape {} "
                 "\"{}\"",
                 to_string(map.shape), map.layout.view());
  PENSTOCK_CHECK(!by_frame || (sequence && map.shape[0] == in.shape[0]), ArgumentError,
                 "maps for {} frames need a sequence of as many; got {} \"{}\"", map.shape[0], to_string(in.shape),
                 in.layout.view());
  return {by_frame, first};
}

class Remap final : public MappedOperator<RemapArgs, kernels::TableMap> {
  using Job = penstock::kernels::SampledJob<penstock::kernels::TableMap>;

 public:
  Remap() : MappedOperator(penstock::kernels::kSampledTable) { traits_.goes_by_descriptors = true; }
  void setup() override {
    shift_ = origin_shift(constants().pixel_origin);
    PENSTOCK_CHECK(constants().interp == InterpType::kNN || constants().interp == InterpType::kLinear, ArgumentError,
                   "`interp` must be INTERP_NN or INTERP_LINEAR");
    look_ = {.sampling = sampling_of(constants().interp),
             .border = border_named("border_mode", constants().border_mode),
             .fill = constants().fill_value};
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    for (int i = 1; i < 3; ++i)
      PENSTOCK_CHECK(s.in(i).tensor.dtype == DType::kFloat, TypeError, "`{}` must be of type float, got {}",
                     i == 1 ? "mapx" : "mapy", name_of(s.in(i).tensor.dtype));
    const TensorDesc& map = s.in(1).tensor;
    const MapAxes axes = axes_of(map, in);
    PENSTOCK_CHECK(map.shape == s.in(2).tensor.shape, ArgumentError, "`mapx` and `mapy` differ in shape: {} and {}",
                   to_string(map.shape), to_string(s.in(2).tensor.shape));
    s.out(0).describe(state(s).describe(in, in.dtype, {map.shape[axes.rows], map.shape[axes.rows + 1]}, look_));
    check_countable(state(s));
  }
  void connect(std::byte* memory, const Places& places) const override {
    MappedOperator::connect(memory, places);
    Job& job = *reinterpret_cast<Job*>(memory);
    job.map.x = reinterpret_cast<const float*>(places.in[1]);
    job.map.y = reinterpret_cast<const float*>(places.in[2]);
  }

 private:
  kernels::TableMap map(Sample& s, device::Staging*) const override {
    const TensorDesc& map = s.in(1).tensor;
    const MapAxes axes = axes_of(map, s.in(0).tensor);
    return {.columns = static_cast<int32_t>(map.shape[axes.rows + 1]),
            .rows = static_cast<int32_t>(map.shape[axes.rows]),
            .by_frame = axes.by_frame ? 1 : 0,
            .shift = static_cast<float>(shift_)};
  }
  void place_map(Sample& s, Job& job) const override {
    job.map.x = reinterpret_cast<const float*>(s.in(1).tensor.data);
    job.map.y = reinterpret_cast<const float*>(s.in(2).tensor.data);
  }

  double shift_ = 0;
  SampledLook look_;
};

}  // namespace

[[gnu::cold]] void register_remap(Registry& r) {
  r.add<Remap>("experimental.remap")
      .doc(
          "Looks pictures up at places that two maps say: result(x, y) = input(mapx(x, y), mapy(x, y)). The result has "
          "the maps' rows and columns. A place that is NaN lies outside, left of and above the picture.")
      .input("input", {"HWC", "FHWC"}, "uint8, int16, uint16, int32 or float.")
      .input("mapx", {}, "FLOAT: for each position of the result the place along x, as HW or HWC; FHW for frames.")
      .holds("mapx")
      .input("mapy", {}, "FLOAT, likewise along y.")
      .holds("mapy")
      .output("remapped", "Of the input's type and layout.")
      .arg("interp", &RemapArgs::interp, "INTERP_NN or INTERP_LINEAR.")
      .arg("pixel_origin", &RemapArgs::pixel_origin,
           "Where (0, 0) lies: \"corner\" of the first pixel, or its \"center\", as in OpenCV.")
      .arg("border_mode", &RemapArgs::border_mode,
           "What lies outside: \"constant\" (`fill_value`), \"replicate\" (aaa|abcd), \"reflect\" (cba|abcd), "
           "\"reflect_101\" (dcb|abcd) or \"wrap\" (bcd|abcd).")
      .arg("fill_value", &RemapArgs::fill_value, "One value, or one for each channel; usually 0.")
      .devices({"gpu"})
      .differs("The CPU has it, too, and there are `border_mode` and `fill_value`.")
      .differs("Pixels may have any number of channels.");
}

}  // namespace penstock
