#include "pipeline/source_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace penstock {
namespace {

std::string text_of(size_t slot) { return std::string(slot % 7 == 6 ? 200 : slot % 5, 'a') + std::to_string(slot); }

TEST(SourceTexts, AreKeptWhateverTheirLengthsAndWhoeverNotesThem) {
  constexpr size_t kSlots = 100;
  Sources sources;
  {
    SourceTexts texts(kSlots);
    std::vector<std::thread> threads;
    for (size_t first = 0; first < 4; ++first)
      threads.emplace_back([&texts, first] {
        for (size_t slot = first; slot < kSlots; slot += 4) texts.set(slot, text_of(slot));
      });
    for (std::thread& thread : threads) thread.join();
    std::vector<int64_t> slots;
    for (size_t slot = kSlots; slot-- > 0;) slots.push_back(static_cast<int64_t>(slot));
    sources = texts.of(slots);
  }
  ASSERT_EQ(sources.texts().size(), kSlots);
  for (size_t i = 0; i < kSlots; ++i) EXPECT_EQ(sources.texts()[i], text_of(kSlots - 1 - i));
}

TEST(SourceTexts, ANewTextTakesTheOldOnesPlace) {
  SourceTexts texts(2);
  texts.set(0, "first");
  texts.set(1, "second");
  texts.set(0, "third");
  texts.set(1, "");
  const Sources sources = texts.of(std::vector<int64_t>{0, 1});
  EXPECT_TRUE(std::ranges::equal(sources.texts(), std::vector<std::string_view>{"third", ""}));
}

TEST(SourceTexts, NoneAreKeptWhereNoneIsKnown) {
  SourceTexts texts(3);
  texts.set(1, "known");
  EXPECT_EQ(texts.of(std::vector<int64_t>{0, 1}).texts().size(), 2u);
  const Sources unknown = texts.of(std::vector<int64_t>{0, 2});
  EXPECT_TRUE(unknown.texts().empty());
}

}  // namespace
}  // namespace penstock
