// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of water().
struct WaterArgs {
  /// How far rows are moved, in pixels. Default: `10.0`.
  Arg<double> ampl_x = {};
  /// How far columns are moved, in pixels. Default: `10.0`.
  Arg<double> ampl_y = {};
  /// Value of what lies outside of the input. Default: `0.0`.
  Constant<double> fill_value = {};
  /// Radians from a row to the next. Default: `0.049087387`.
  Arg<double> freq_x = {};
  /// Radians from a column to the next. Default: `0.049087387`.
  Arg<double> freq_y = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kNN`.
  Constant<InterpType> interp_type = {};
  /// 0: the sample stays as it is. Default: `1`.
  Arg<int64_t> mask = {};
  /// Radians at the first row. Default: `0.0`.
  Arg<double> phase_x = {};
  /// Radians at the first column. Default: `0.0`.
  Arg<double> phase_y = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Moves rows along x and columns along y by sines, as if the picture lay under water: result(x, y) = input(x + ampl_x
/// sin(freq_x y + phase_x), y + ampl_y cos(freq_y x + phase_y)).
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, HW, CHW, FCHW.
/// @return Shape, layout and type of the input.
inline Node water(Graph& graph, Node input, const WaterArgs& args = {}) {
  return Call("water", {input}, args.common)
      .arg("ampl_x", args.ampl_x)
      .arg("ampl_y", args.ampl_y)
      .arg("fill_value", args.fill_value)
      .arg("freq_x", args.freq_x)
      .arg("freq_y", args.freq_y)
      .arg("interp_type", args.interp_type)
      .arg("mask", args.mask)
      .arg("phase_x", args.phase_x)
      .arg("phase_y", args.phase_y)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
