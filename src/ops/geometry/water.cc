#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/geometry/displacement.h"

namespace penstock {
namespace {

constexpr auto kUsual = static_cast<float>(std::numbers::pi / 64);  // 128 rows or columns are a wave

struct WaterArgs : DisplacementArgs {
  float ampl_x = 10, ampl_y = 10;
  float freq_x = kUsual, freq_y = kUsual;

  float phase_x = 0, phase_y = 0;
};

class Water final : public DisplacementOperator<WaterArgs, kernels::WaveMap> {
 public:
  Water() : DisplacementOperator(penstock::kernels::kSampledWave) {}
  void infer(Sample& s) const override {
    DisplacementOperator::infer(s);
    const WaterArgs& a = args(s);
    const std::pair<const char*, float> checked[] = {{"ampl_x", a.ampl_x},   {"ampl_y", a.ampl_y},
                                                     {"freq_x", a.freq_x},   {"freq_y", a.freq_y},
                                                     {"phase_x", a.phase_x}, {"phase_y", a.phase_y}};
    for (const auto& [name, value] : checked)
      PENSTOCK_CHECK(std::isfinite(value), ArgumentError, "`{}` must be finite, got {}", name, value);
  }

 private:
  /// Waves depend on the row or on the column alone: two tables of sines, which CPU and GPU read.
  kernels::WaveMap map(Sample& s, device::Staging* staging) const override {
    const WaterArgs& a = args(s);
    const PlaneRegion made = s.out(0).plane();
    const bool moves = a.mask != 0;
    const auto wave = [&](int64_t begin, int64_t end, auto&& shift) {
      const auto count = static_cast<size_t>(std::max<int64_t>(end - begin, 0));
      auto* table = s.scratch_array<float>(count);
      for (size_t i = 0; i < count; ++i)
        table[i] = moves ? shift(static_cast<float>(begin + static_cast<int64_t>(i))) : 0;
      return staging ? staging->put(std::span<const float>(table, count)) : table;
    };
    return {
        .of_rows = wave(made.y0, made.y1, [&](float y) { return a.ampl_x * std::sin(a.freq_x * y + a.phase_x); }),
        .of_columns = wave(made.x0, made.x1, [&](float x) { return a.ampl_y * std::cos(a.freq_y * x + a.phase_y); }),
        .first = {static_cast<int32_t>(made.x0), static_cast<int32_t>(made.y0)}};
  }
};

}  // namespace

[[gnu::cold]] void register_water(Registry& r) {
  auto op = r.add<Water>("water");
  op.doc(
        "Moves rows along x and columns along y by sines, as if the picture lay under water: result(x, y) = input(x + "
        "ampl_x sin(freq_x y + phase_x), y + ampl_y cos(freq_y x + phase_y)).")
      .input("input", mapped_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("moved", "Shape, layout and type of the input.")
      .arg("ampl_x", &WaterArgs::ampl_x, "How far rows are moved, in pixels.", kPerSample)
      .arg("ampl_y", &WaterArgs::ampl_y, "How far columns are moved, in pixels.", kPerSample)
      .arg("freq_x", &WaterArgs::freq_x, "Radians from a row to the next.", kPerSample)
      .arg("freq_y", &WaterArgs::freq_y, "Radians from a column to the next.", kPerSample)
      .arg("phase_x", &WaterArgs::phase_x, "Radians at the first row.", kPerSample)
      .arg("phase_y", &WaterArgs::phase_y, "Radians at the first column.", kPerSample)
      .example({{"ampl_x", 2.0}, {"ampl_y", 1.5}, {"freq_x", 0.5}, {"freq_y", 0.7}, {"fill_value", 42}});
  add_displacement_args(op);
}

}  // namespace penstock
