// Where the samples of a batch were read from, noted by many threads into one block: a string of its own for each cost
// small samples as much as decoding some of their blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <penstock/tensor.h>

namespace penstock {

class SourceTexts {
 public:
  explicit SourceTexts(size_t slots);
  /// Copies `text`. Callable from many threads for different slots.
  void set(size_t slot, std::string_view text);
  /// Those of the chosen slots, in that order. They live on with the result.
  Sources of(std::span<const int64_t> slots) const;

 private:
  struct Block;
  std::shared_ptr<Block> block_;
  std::vector<std::string_view> texts_;
};

}  // namespace penstock
