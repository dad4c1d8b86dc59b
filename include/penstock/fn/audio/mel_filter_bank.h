// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of mel_filter_bank().
struct MelFilterBankArgs {
  /// Where the last filter ends, in Hz. 0: at sample_rate / 2. Default: `0.0`.
  Constant<double> freq_high = {};
  /// Where the first filter begins, in Hz. Default: `0.0`.
  Constant<double> freq_low = {};
  /// "slaney": even up to 1 kHz, logarithmic above, as librosa has it; "htk": 2595 * log10(1 + f / 700). Default:
  /// `"slaney"`.
  Constant<std::string> mel_formula = {};
  /// Number of filters. Default: `128`.
  Constant<int64_t> nfilter = {};
  /// Filters have the area 1 (over Hz). False: the height 1. Default: `true`.
  Constant<bool> normalize = {};
  /// Samples per second of the signal, in Hz. Default: `44100.0`.
  Constant<double> sample_rate = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Sums the frequencies of spectra under triangular filters that follow evenly on the mel scale. The axis 'f' of the
/// layout is that of frequencies; without a layout the last but one, or the only one.
/// @param spectrogram  Float tensor with an axis of frequencies, evenly from 0 to sample_rate / 2.
/// @return Float tensor of the same axes, with `nfilter` in the place of frequencies.
inline Node mel_filter_bank(Graph& graph, Node spectrogram, const MelFilterBankArgs& args = {}) {
  return Call("mel_filter_bank", {spectrogram}, args.common)
      .arg("freq_high", args.freq_high)
      .arg("freq_low", args.freq_low)
      .arg("mel_formula", args.mel_formula)
      .arg("nfilter", args.nfilter)
      .arg("normalize", args.normalize)
      .arg("sample_rate", args.sample_rate)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
