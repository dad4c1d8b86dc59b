// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct WaterArgs {
  Arg<double> ampl_x = {};
  Arg<double> ampl_y = {};
  Constant<double> fill_value = {};
  Arg<double> freq_x = {};
  Arg<double> freq_y = {};
  Constant<InterpType> interp_type = {};
  Arg<int64_t> mask = {};
  Arg<double> phase_x = {};
  Arg<double> phase_y = {};
  CommonArgs common = {};
};
/// Moves rows along x and columns along y by sines, as if the picture lay under water: result(x, y) = input(x + ampl_x
/// sin(freq_x y + phase_x), y + ampl_y cos(freq_y x + phase_y)).
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
