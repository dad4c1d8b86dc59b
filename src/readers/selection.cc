#include "readers/selection.h"

#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "schema/value.h"

namespace penstock {
namespace {

/// The samples that are taken at all, in order. @throws ArgumentError
std::vector<int64_t> taken(const SelectionArgs& args, int64_t size) {
  std::vector<int64_t> indices;
  if (!args.subset) {
    indices.resize(static_cast<size_t>(size));
    std::iota(indices.begin(), indices.end(), int64_t{0});
    return indices;
  }
  std::vector<bool> seen(static_cast<size_t>(size));
  for (const int64_t index : *args.subset) {
    PENSTOCK_CHECK(index >= 0 && index < size, ArgumentError,
                   "`subset` has index {}, the samples of the data set are 0 to {}", index, size - 1);
    PENSTOCK_CHECK(!seen[static_cast<size_t>(index)], ArgumentError,
                   "`subset` has index {} twice; `weights` repeat samples", index);
    seen[static_cast<size_t>(index)] = true;
  }
  PENSTOCK_CHECK(!args.subset->empty(), ArgumentError, "`subset` is empty: no sample is left");
  return *args.subset;
}

std::vector<int64_t> classes_of(const SelectionArgs& args, int64_t size, std::span<const int32_t> labels) {
  PENSTOCK_CHECK(args.classes || !labels.empty(), ArgumentError,
                 "this reader does not know the classes of samples before it reads them; give `classes`, a number for "
                 "each of the {} samples",
                 size);
  std::vector<int64_t> classes = args.classes ? *args.classes : std::vector<int64_t>(labels.begin(), labels.end());
  PENSTOCK_CHECK(static_cast<int64_t>(classes.size()) == size, ArgumentError, "`classes` has {} numbers for {} samples",
                 classes.size(), size);
  return classes;
}

std::vector<double> ratios_of(const SelectionArgs& args, const std::vector<int64_t>& counts) {
  if (args.balance == "class") return std::vector<double>(counts.size(), 1.0);
  if (args.balance == "stratified") return {counts.begin(), counts.end()};
  PENSTOCK_CHECK(!args.class_ratios->empty() && args.class_ratios->size() % counts.size() == 0, ArgumentError,
                 "`class_ratios` has {} numbers for {} classes; give one for each, in ascending order of the classes",
                 args.class_ratios->size(), counts.size());
  return decimals(*args.class_ratios);
}

/// Each class a set of its own.
order::SelectionPtr by_class(const SelectionArgs& args, int64_t size, std::span<const int32_t> labels) {
  const std::vector<int64_t> classes = classes_of(args, size, labels);
  std::vector<int64_t> indices = taken(args, size);
  const auto class_of = [&](int64_t index) { return classes[static_cast<size_t>(index)]; };
  std::ranges::stable_sort(indices, {}, class_of);
  std::vector<int64_t> counts;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i == 0 || class_of(indices[i]) != class_of(indices[i - 1])) counts.push_back(0);
    ++counts.back();
  }
  std::vector<order::SelectionPtr> sets;
  for (const int64_t count : counts) sets.push_back(order::every(count));
  const int64_t epoch = args.epoch_size.value_or(static_cast<int64_t>(indices.size()));
  return order::listed(std::move(indices), size, order::mixture(std::move(sets), ratios_of(args, counts), epoch));
}

order::SelectionPtr by_weight(const SelectionArgs& args, int64_t size) {
  PENSTOCK_CHECK(static_cast<int64_t>(args.weights->size()) == size, ArgumentError,
                 "`weights` has {} numbers for {} samples", args.weights->size(), size);
  if (!args.subset) return order::weighted(*args.weights, args.epoch_size.value_or(size));
  std::vector<int64_t> indices = taken(args, size);
  std::vector<float> weights;
  for (const int64_t index : indices) weights.push_back((*args.weights)[static_cast<size_t>(index)]);
  const int64_t epoch = args.epoch_size.value_or(static_cast<int64_t>(indices.size()));
  return order::listed(std::move(indices), size, order::weighted(weights, epoch));
}

}  // namespace

std::vector<double> decimals(const std::vector<float>& numbers) {
  return std::get<std::vector<double>>(value_of(numbers));
}

void check_selection_args(const SelectionArgs& args) {
  PENSTOCK_CHECK(args.balance.empty() || args.balance == "class" || args.balance == "stratified", ArgumentError,
                 "balance is \"class\" or \"stratified\", got \"{}\"", args.balance);
  PENSTOCK_CHECK(args.balance.empty() || !args.class_ratios, ArgumentError,
                 "`balance` and `class_ratios` both say how often classes come; give one of them");
  PENSTOCK_CHECK(!args.by_class() || !args.weights, ArgumentError,
                 "`weights` and `{}` both say how often samples come; give one of them",
                 args.class_ratios ? "class_ratios" : "balance");
  PENSTOCK_CHECK(!args.epoch_size || *args.epoch_size >= 1, ArgumentError, "epoch_size must be positive, got {}",
                 args.epoch_size.value_or(0));
}

order::SelectionPtr selection_of(const SelectionArgs& args, int64_t size, std::span<const int32_t> labels) {
  if (args.by_class()) return by_class(args, size, labels);
  if (args.weights) return by_weight(args, size);
  if (!args.subset && !args.epoch_size) return nullptr;
  const int64_t count = args.subset ? static_cast<int64_t>(args.subset->size()) : size;
  order::SelectionPtr all = order::every(count);
  if (args.epoch_size) all = order::mixture({std::move(all)}, {1.0}, *args.epoch_size);
  return args.subset ? order::listed(taken(args, size), size, std::move(all)) : all;
}

}  // namespace penstock
