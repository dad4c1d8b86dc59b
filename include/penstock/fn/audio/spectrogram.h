// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SpectrogramArgs {
  Constant<bool> center_windows = {};
  Constant<std::string> layout = {};
  Constant<int64_t> nfft = {};
  Constant<int64_t> power = {};
  Constant<bool> reflect_padding = {};
  Constant<Floats> window_fn = {};
  Constant<int64_t> window_length = {};
  Constant<int64_t> window_step = {};
  CommonArgs common = {};
};
/// The frequencies of a signal window by window (short-time Fourier transform). With `center_windows` there are samples
/// // window_step + 1 windows, otherwise (samples - window_length) // window_step + 1.
inline Node spectrogram(Graph& graph, Node signal, const SpectrogramArgs& args = {}) {
  return Call("spectrogram", {signal}, args.common)
      .arg("center_windows", args.center_windows)
      .arg("layout", args.layout)
      .arg("nfft", args.nfft)
      .arg("power", args.power)
      .arg("reflect_padding", args.reflect_padding)
      .arg("window_fn", args.window_fn)
      .arg("window_length", args.window_length)
      .arg("window_step", args.window_step)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
