// What readers' arguments say an epoch takes from the data set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "order/selection.h"

namespace penstock {

/// Arguments of every reader but mixtures, which have the last.
struct SelectionArgs {
  std::optional<std::vector<int64_t>> subset, classes;
  std::optional<std::vector<float>> weights, class_ratios;
  std::string balance;
  std::optional<int64_t> epoch_size;

  bool by_class() const { return !balance.empty() || class_ratios; }
};

/// As they were written: 0.1 is a tenth, not the float next to it.
std::vector<double> decimals(const std::vector<float>& numbers);

/// What can be said about the arguments before the data set is known. @throws ArgumentError
void check_selection_args(const SelectionArgs& args);

/// Of a data set of `size` samples; null where each is taken once. `labels` are those that the reader knows, or none.
/// @throws ArgumentError
order::SelectionPtr selection_of(const SelectionArgs& args, int64_t size, std::span<const int32_t> labels);

}  // namespace penstock
