#include "kernels/debayer/debayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/debayer/vng.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct DebayerArgs {
  std::vector<int64_t> blue_position;
  std::string algorithm = "bilinear_ocv";
};

/// Where rows lie among the axes: without a layout pictures are told from frames by their number of axes.
int axis_of_rows(const TensorDesc& in) {
  const int ndim = in.shape.ndim();
  const std::string_view layout = in.layout.view();
  const bool known = layout == "HW" || layout == "HWC" || layout == "FHW" || layout == "FHWC";
  PENSTOCK_CHECK(known || (layout.empty() && ndim >= 2 && ndim <= 4), ArgumentError,
                 "expects the layout HW, HWC, FHW or FHWC; got shape {} \"{}\"", to_string(in.shape), layout);
  if (known) return layout[0] == 'F' ? 1 : 0;
  return ndim == 4 || (ndim == 3 && in.shape[2] != 1) ? 1 : 0;
}

class Debayer final : public SampleOperator<DebayerArgs>,
                      public device::JobForm<kernels::DebayerJob, kernels::DebayerParameters> {
  using Method = penstock::kernels::DebayerMethod;

 public:
  Debayer() : JobForm(penstock::kernels::kDebayer) { traits_.goes_by_descriptors = true; }
  void setup() override {
    const std::string& algorithm = constants().algorithm;
    if (algorithm == "edgeaware_ocv") method_ = Method::kEdgeAware;
    if (algorithm == "gray_ocv") method_ = Method::kGray;
    if (algorithm == "vng_ocv") method_ = Method::kVng;
    PENSTOCK_CHECK(
        method_ != Method::kBilinear || algorithm == "bilinear_ocv" || algorithm == "default_npp" || algorithm.empty(),
        ArgumentError,
        "`algorithm` must be \"bilinear_ocv\", \"edgeaware_ocv\", \"vng_ocv\" or \"gray_ocv\"; \"{}\" is not there",
        algorithm);
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.dtype == DType::kUInt8 || in.dtype == DType::kUInt16, TypeError,
                   "sensors give uint8 or uint16, got {}", name_of(in.dtype));
    PENSTOCK_CHECK(method_ != Method::kVng || in.dtype == DType::kUInt8, TypeError,
                   "`algorithm` \"vng_ocv\" takes uint8, got {}; \"edgeaware_ocv\" and \"bilinear_ocv\" take it",
                   name_of(in.dtype));
    const int rows = axis_of_rows(in), after = rows + 2;
    PENSTOCK_CHECK(after == in.shape.ndim() || in.shape[after] == 1, ArgumentError,
                   "expects one value for each element of the sensor; got {} channels", in.shape[after]);
    for (int i = 0; i < 2; ++i) {
      const int64_t extent = in.shape[rows + i];
      PENSTOCK_CHECK(extent % 2 == 0 && (extent == 0 || extent >= 4) && extent <= (1 << 28), ArgumentError,
                     "rows and columns must be even, and at least 4: got shape {}", to_string(in.shape));
    }
    const std::vector<int64_t>& blue = args(s).blue_position;
    PENSTOCK_CHECK(blue.size() == 2 && (blue[0] | blue[1]) >= 0 && (blue[0] | blue[1]) <= 1, ArgumentError,
                   "`blue_position` needs a row and a column, each 0 or 1; got {} values{}", blue.size(),
                   blue.size() == 2 ? fmt::format(": {}, {}", blue[0], blue[1]) : "");
    TensorDesc out{in.dtype, {}, rows == 1 ? "FHWC" : "HWC"};
    const int64_t channels = method_ == Method::kGray ? 1 : 3;
    Shape shape{in.shape[rows], in.shape[rows + 1], channels};
    if (rows == 1) shape = {in.shape[0], in.shape[rows], in.shape[rows + 1], channels};
    out.shape = shape;
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    penstock::kernels::DebayerJob job = job_of(s);
    job.in = s.in(0).tensor.data;
    job.out = s.out(0).tensor.data;
    if (s.out(0).tensor.shape.volume() > 0) penstock::kernels::debayer(job, s.in(0).tensor.dtype);
  }

 private:
  penstock::kernels::DebayerJob job_of(const Sample& s) const {
    const TensorDesc& in = s.in(0).tensor;
    const int rows = axis_of_rows(in);
    const std::vector<int64_t>& blue = args(s).blue_position;  // in a tile that begins in the second row and column
    const bool small = std::min(in.shape[rows], in.shape[rows + 1]) < penstock::kernels::kLeastOfVng;
    return {.method = method_ == Method::kVng && small ? Method::kBilinear : method_,
            .pictures = rows == 1 ? static_cast<int32_t>(in.shape[0]) : 1,
            .rows = static_cast<int32_t>(in.shape[rows]),
            .columns = static_cast<int32_t>(in.shape[rows + 1]),
            .blue_row = static_cast<int32_t>(1 - blue[0]),
            .blue_column = static_cast<int32_t>(1 - blue[1])};
  }
  void launch(const device::Launch& launch) const override {
    launch.start(penstock::kernels::kDebayer, {.some_vng = method_ == Method::kVng});
  }
  void describe(Sample& s, device::Staging&, penstock::kernels::DebayerJob& job) const override {
    job = job_of(s);
    if (s.out(0).tensor.shape.volume() == 0) job.pictures = 0;
  }

  Method method_ = Method::kBilinear;
};

}  // namespace

[[gnu::cold]] void register_debayer(Registry& r) {
  r.add<Debayer>("debayer")
      .doc(
          "Makes RGB pictures of what a sensor with a Bayer pattern saw: each missing colour is the mean of the two or "
          "four nearest elements that saw it, or of those along which little changes, as OpenCV's methods have it.")
      .input("input", {}, "HW, HWC, FHW or FHWC of one channel, uint8 or uint16; rows and columns are even in number.")
      .holds("sensor")
      .output("pictures", "RGB, or gray of one channel; HWC or FHWC, of the input's type.")
      .arg("blue_position", &DebayerArgs::blue_position,
           "Row and column of blue in the tile of two by two that begins in the second row and column: (0, 0) is "
           "OpenCV's BG, (0, 1) GB, (1, 0) GR, (1, 1) RG.",
           kRequired | kPerSample)
      .arg(
          "algorithm", &DebayerArgs::algorithm,
          "\"bilinear_ocv\", for which \"default_npp\" stands, too; \"edgeaware_ocv\", which takes green from the two "
          "neighbours above and below or from those on the sides, whichever differ less; \"vng_ocv\", which takes all "
          "colours from those of eight directions in which 5 by 5 elements change least (Variable Number of Gradients; "
          "uint8 alone; pictures with fewer than 8 rows or columns are bilinear); or \"gray_ocv\", the brightness of "
          "what bilinear sees.")
      .example({{"blue_position", {0, 1}}})
      .alias("experimental.debayer")
      .differs("Each `algorithm` is there on CPUs and GPUs alike, and \"default_npp\" is bilinear.")
      .differs("Pictures of two rows or columns are refused; DALI gives them no colours.");
}

}  // namespace penstock
