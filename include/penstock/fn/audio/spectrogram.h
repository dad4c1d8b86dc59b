// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of spectrogram().
struct SpectrogramArgs {
  /// Centre windows at multiples of `window_step`; the signal is padded. False: all windows lie inside. Default:
  /// `true`.
  Constant<bool> center_windows = {};
  /// "ft": a row for each frequency; "tf": a row for each window. Default: `"ft"`.
  Constant<std::string> layout = {};
  /// Points of the transforms, `window_length` or more; windows go on with zeros.
  Constant<int64_t> nfft = {};
  /// 2: the power of each frequency; 1: its magnitude. Default: `2`.
  Constant<int64_t> power = {};
  /// Pad with the signal's mirror image. False: with zeros. Default: `true`.
  Constant<bool> reflect_padding = {};
  /// Factors of the samples of a window. Without it those of Hann: sin(pi * (i + 0.5) / window_length) ^ 2. Default:
  /// `{}`.
  Constant<Floats> window_fn = {};
  /// Samples of a window. Default: `512`.
  Constant<int64_t> window_length = {};
  /// Samples from the beginning of a window to that of the next. Default: `256`.
  Constant<int64_t> window_step = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The frequencies of a signal window by window (short-time Fourier transform). With `center_windows` there are samples
/// // window_step + 1 windows, otherwise (samples - window_length) // window_step + 1.
/// @param signal  Float signal of one channel: all axes but one have the extent 1.
/// @return Float tensor of nfft // 2 + 1 frequencies, from 0 on, and the windows, as `layout` says.
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
