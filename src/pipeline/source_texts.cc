#include "pipeline/source_texts.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>

#include "core/lazy.h"

namespace penstock {
namespace {

// What a text may be longer than the first one before it needs a string of its own: names of files differ a little.
constexpr size_t kSlack = 24;

}  // namespace

struct SourceTexts::Block {
  struct Cells {
    std::unique_ptr<char[]> text;
    size_t each = 0;
  };
  Lazy<Cells> cells;
  std::mutex mutex;
  std::deque<std::string> longer;
};

SourceTexts::SourceTexts(size_t slots) : block_(std::make_shared<Block>()), texts_(slots) {}

void SourceTexts::set(size_t slot, std::string_view text) {
  if (text.empty()) {
    texts_[slot] = {};
    return;
  }
  const Block::Cells& cells = block_->cells.get([&] {
    const size_t each = text.size() + kSlack;
    return Block::Cells{std::unique_ptr<char[]>(new char[each * texts_.size()]), each};
  });
  if (text.size() > cells.each) {
    std::lock_guard lock(block_->mutex);
    texts_[slot] = block_->longer.emplace_back(text);
    return;
  }
  char* cell = cells.text.get() + slot * cells.each;
  std::copy(text.begin(), text.end(), cell);
  texts_[slot] = {cell, text.size()};
}

Sources SourceTexts::of(std::span<const int64_t> slots) const {
  std::vector<std::string_view> chosen;
  bool any = false;
  chosen.reserve(slots.size());
  for (int64_t slot : slots) any |= !chosen.emplace_back(texts_[static_cast<size_t>(slot)]).empty();
  return any ? Sources(block_, std::move(chosen)) : Sources();
}

}  // namespace penstock
