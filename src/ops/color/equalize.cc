#include "kernels/histogram/equalize.h"

#include <limits>

#include "core/check.h"
#include "ops/base/separable.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct EqualizeArgs {};

struct EqualizeState {
  DataAxes axes;
  int64_t pixels = 0;
};

class Equalize final : public SampleOperator<EqualizeArgs, EqualizeState>,
                       public device::JobForm<kernels::EqualizeJob> {
 public:
  Equalize() : JobForm(penstock::kernels::kEqualize) { traits_.goes_by_descriptors = true; }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.dtype == DType::kUInt8, TypeError, "levels are counted of uint8 alone, got {}; cast the input",
                   name_of(in.dtype));
    EqualizeState& state = this->state(s);
    state.axes = DataAxes(in);
    state.pixels = 1;
    for (int i = 0; i < state.axes.count; ++i) state.pixels *= in.shape[state.axes.first + i];
    PENSTOCK_CHECK(state.pixels <= std::numeric_limits<int32_t>::max(), ArgumentError,
                   "a picture of {} pixels has more than 2^31 - 1", state.pixels);
    s.out(0).describe(in);
  }
  void run(Sample& s) const override {
    const EqualizeState& state = this->state(s);
    const auto channels = static_cast<int32_t>(state.axes.channels);
    const auto levels = static_cast<size_t>(channels) * penstock::kernels::kLevels;
    auto* counts = s.scratch_array<uint32_t>(levels);
    auto* tables = s.scratch_array<uint8_t>(levels);
    const auto* in = reinterpret_cast<const uint8_t*>(s.in(0).tensor.data);
    auto* out = reinterpret_cast<uint8_t*>(s.out(0).tensor.data);
    const int64_t step = state.pixels * channels;
    for (int64_t i = 0; i < state.axes.outer && step > 0; ++i, in += step, out += step) {
      penstock::kernels::count_levels(in, state.pixels, channels, counts);
      for (int32_t c = 0; c < channels; ++c)
        penstock::kernels::equalizing_table(counts + c * penstock::kernels::kLevels, state.pixels,
                                            tables + c * penstock::kernels::kLevels);
      penstock::kernels::look_levels_up(in, state.pixels, channels, tables, out);
    }
  }
  size_t scratch_size(const std::byte* memory) const override {
    const auto& job = *reinterpret_cast<const penstock::kernels::EqualizeJob*>(memory);
    return static_cast<size_t>(job.pictures) * static_cast<size_t>(job.channels) * penstock::kernels::kLevels *
           sizeof(uint32_t);
  }
  void connect(std::byte* memory, const Places& places) const override {
    JobForm::connect(memory, places);
    reinterpret_cast<penstock::kernels::EqualizeJob*>(memory)->counts = reinterpret_cast<uint32_t*>(places.scratch);
  }

 private:
  void describe(Sample& s, device::Staging&, penstock::kernels::EqualizeJob& job) const override {
    const EqualizeState& state = this->state(s);
    job.pictures = state.pixels == 0 ? 0 : static_cast<int32_t>(state.axes.outer);
    job.channels = static_cast<int32_t>(state.axes.channels);
    job.pixels = state.pixels;
  }
};

}  // namespace

[[gnu::cold]] void register_equalize(Registry& r) {
  r.add<Equalize>("equalize")
      .doc(
          "Spreads the levels of each channel so that all are about equally frequent, for each picture or frame by "
          "itself, as OpenCV's equalizeHist does. A channel of one level stays as it is.")
      .input("input", {"HW", "HWC", "CHW", "FHW", "FHWC", "FCHW"}, "uint8.")
      .output("equalized", "Shape, layout and type of the input.")
      .alias("experimental.equalize");
}

}  // namespace penstock
