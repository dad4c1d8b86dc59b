#include "kernels/histogram/clahe.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.h"
#include "device/gpu_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ClaheArgs {
  int64_t tiles_x = 0, tiles_y = 0;
  float clip_limit = 0;
  bool luma_only = true;
  int64_t bins = kernels::kLevels;
};

class Clahe final : public SampleOperator<ClaheArgs>, public device::JobForm<kernels::ClaheJob> {
  using Job = penstock::kernels::ClaheJob;

 public:
  Clahe() : JobForm(penstock::kernels::kClahe) { traits_.goes_by_descriptors = true; }
  void setup() override {
    const ClaheArgs& a = constants();
    for (const auto& [name, tiles] : {std::pair{"tiles_x", a.tiles_x}, {"tiles_y", a.tiles_y}})
      PENSTOCK_CHECK(tiles > 0 && tiles <= 1024, ArgumentError, "`{}` must lie in [1, 1024], got {}", name, tiles);
    PENSTOCK_CHECK(a.clip_limit >= 0 && a.clip_limit <= 1e6f, ArgumentError,
                   "`clip_limit` must lie in [0, 1e6], got {}; 0 limits nothing", a.clip_limit);
    PENSTOCK_CHECK(a.bins == penstock::kernels::kLevels, ArgumentError, "`bins` must be {}, got {}",
                   penstock::kernels::kLevels, a.bins);
  }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.dtype == DType::kUInt8, TypeError, "levels are counted of uint8 alone, got {}; cast the input",
                   name_of(in.dtype));
    PENSTOCK_CHECK(in.shape.ndim() == 2 || in.shape[2] == 1 || in.shape[2] == 3, ArgumentError,
                   "expects gray or RGB pictures, of 1 or 3 channels; got shape {}", to_string(in.shape));
    PENSTOCK_CHECK(in.shape[0] <= (1 << 20) && in.shape[1] <= (1 << 20) && in.shape.volume() <= INT32_MAX,
                   ArgumentError, "the picture is too large: {}", to_string(in.shape));
    s.out(0).describe(in);
  }
  void run(Sample& s) const override {
    if (s.in(0).tensor.shape.volume() == 0) return;
    Job job = job_of(s);
    job.in = s.in(0).tensor.data;
    job.out = s.out(0).tensor.data;
    job.of_lab = penstock::kernels::lab_tables();
    job.tables = s.scratch_array<uint8_t>(table_bytes(job));
    if (job.lightness_alone) job.lab = s.scratch_array<uint8_t>(lab_bytes(job));
    penstock::kernels::clahe(job);
  }
  size_t scratch_size(const std::byte* memory) const override {
    const Job& job = *reinterpret_cast<const Job*>(memory);
    return table_bytes(job) + lab_bytes(job);
  }
  void connect(std::byte* memory, const Places& places) const override {
    JobForm::connect(memory, places);
    Job& job = *reinterpret_cast<Job*>(memory);
    job.tables = reinterpret_cast<uint8_t*>(places.scratch);
    job.lab = job.tables + table_bytes(job);
  }

 private:
  static size_t table_bytes(const Job& job) {
    return static_cast<size_t>(job.changed()) * static_cast<size_t>(job.grid.tiles()) * penstock::kernels::kLevels;
  }
  static size_t lab_bytes(const Job& job) {
    return job.lightness_alone ? 3 * static_cast<size_t>(job.rows) * static_cast<size_t>(job.columns) : 0;
  }
  Job job_of(const Sample& s) const {
    const ClaheArgs& a = constants();
    const Shape& shape = s.in(0).tensor.shape;
    Job job;
    job.rows = static_cast<int32_t>(shape[0]);
    job.columns = static_cast<int32_t>(shape[1]);
    job.channels = shape.ndim() == 3 ? static_cast<int32_t>(shape[2]) : 1;
    job.lightness_alone = job.channels == 3 && a.luma_only ? 1 : 0;
    const auto x = static_cast<int32_t>(a.tiles_x), y = static_cast<int32_t>(a.tiles_y);
    // As OpenCV, which adds a whole round of rows where only the columns have to be filled up, and the other way round.
    const bool divides = job.columns % x == 0 && job.rows % y == 0;
    job.grid = {.tiles_x = x,
                .tiles_y = y,
                .tile_width = job.columns / x + (divides ? 0 : 1),
                .tile_height = job.rows / y + (divides ? 0 : 1)};
    if (a.clip_limit > 0)
      job.grid.most =
          std::max(1, static_cast<int32_t>(std::min(
                          a.clip_limit * static_cast<float>(job.grid.area()) / penstock::kernels::kLevels, 0x1p30f)));
    return job;
  }
  void describe(Sample& s, device::Staging& staging, Job& job) const override {
    job = job_of(s);
    if (!job.lightness_alone) return;
    const penstock::kernels::LabTables& host = penstock::kernels::lab_tables();
    job.of_lab = {staging.put(std::span(host.linear, 256)),
                  staging.put(std::span(host.root, penstock::kernels::kLabRoots)),
                  staging.put(std::span(host.gamma, penstock::kernels::kLabGammas))};
  }
};

}  // namespace

[[gnu::cold]] void register_clahe(Registry& r) {
  r.add<Clahe>("clahe")
      .doc(
          "Equalizes the histogram of each tile of a picture, with a limit to how much that raises the contrast, and "
          "mixes the tiles' levels in between: OpenCV's CLAHE. Of RGB pictures the lightness of L*a*b* changes, unless "
          "`luma_only` is False.")
      .input("input", {"HWC", "HW"}, "uint8, gray or RGB.")
      .output("equalized", "Shape, layout and type of the input.")
      .arg("tiles_x", &ClaheArgs::tiles_x, "Tiles side by side, 1 to 1024.", kRequired)
      .arg("tiles_y", &ClaheArgs::tiles_y, "Tiles one below the other, 1 to 1024.", kRequired)
      .arg("clip_limit", &ClaheArgs::clip_limit,
           "How often a level may occur in a tile, in multiples of what all have when they are equally frequent; what "
           "is more goes to all levels. 0: without limit.",
           kRequired)
      .arg("luma_only", &ClaheArgs::luma_only, "False: each channel of RGB pictures is equalized by itself.")
      .arg("bins", &ClaheArgs::bins, "256.")
      .example({{"tiles_x", 2}, {"tiles_y", 3}, {"clip_limit", 2.0}})
      .tolerance(1)
      .differs("`luma_only=False` works on GPUs, too; `bins` other than 256 are refused, which DALI's CPU ignores.");
}

}  // namespace penstock
