// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct MelFilterBankArgs {
  Constant<double> freq_high = {};
  Constant<double> freq_low = {};
  Constant<std::string> mel_formula = {};
  Constant<int64_t> nfilter = {};
  Constant<bool> normalize = {};
  Constant<double> sample_rate = {};
  CommonArgs common = {};
};
/// Sums the frequencies of spectra under triangular filters that follow evenly on the mel scale. The axis 'f' of the
/// layout is that of frequencies; without a layout the last but one, or the only one.
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
