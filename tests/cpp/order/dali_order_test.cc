// kContinue and kRepeat against DALI: the oracle in dali_reader.h, and label sequences recorded from DALI itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dali_reader.h"
#include "order/order.h"
#include "tests_folder.h"

namespace penstock::order {
namespace {

Spec spec_of(const DaliReader& reader) {
  return {.size = reader.size,
          .num_shards = reader.num_shards,
          .shard = reader.shard,
          .batch = reader.batch,
          .stick = reader.stick,
          .epoch_end = reader.pad ? EpochEnd::kRepeat : EpochEnd::kContinue};
}

std::vector<int64_t> picked(const Spec& spec, int64_t batches) {
  std::vector<int64_t> out;
  for (int64_t step = 0; step < batches; ++step)
    for (int64_t slot = 0; slot < spec.batch; ++slot) out.push_back(pick(spec, step, slot).index);
  return out;
}

std::string name_of(const DaliReader& r) {
  return "N=" + std::to_string(r.size) + " shard " + std::to_string(r.shard) + "/" + std::to_string(r.num_shards) +
         " B=" + std::to_string(r.batch) + (r.pad ? " pad" : "") + (r.stick ? " stick" : "");
}

TEST(DaliOrder, WorkedExamples) {
  using Rows = std::vector<int64_t>;
  const auto rows = [](DaliReader reader, int64_t batches) { return picked(spec_of(reader), batches); };
  EXPECT_EQ(rows({10, 3, 0, 4, false, false}, 3), (Rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1}));
  EXPECT_EQ(rows({10, 3, 1, 4, false, true}, 3), (Rows{3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(rows({10, 3, 0, 4, true, false}, 4), (Rows{0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 0, 1, 2, 2}));
  EXPECT_EQ(rows({10, 3, 2, 4, true, true}, 2), (Rows{6, 7, 8, 9, 6, 7, 8, 9}));
  EXPECT_EQ(rows({7, 2, 1, 2, true, false}, 5), (Rows{3, 4, 5, 6, 0, 1, 2, 2, 3, 4}));
  EXPECT_EQ(rows({5, 1, 0, 2, true, false}, 4), (Rows{0, 1, 2, 3, 4, 4, 0, 1}));
}

TEST(DaliOrder, EqualsTheReaderPlayedThrough) {
  for (int64_t size = 1; size <= 24; ++size)
    for (int64_t shards = 1; shards <= std::min<int64_t>(size, 8); ++shards)
      for (int64_t shard = 0; shard < shards; ++shard)
        for (int64_t batch = 1; batch <= 9; ++batch)
          for (const bool pad : {false, true})
            for (const bool stick : {false, true}) {
              const DaliReader reader{size, shards, shard, batch, pad, stick};
              ASSERT_EQ(picked(spec_of(reader), 40), reader.play(40)) << name_of(reader);
            }
}

TEST(DaliOrder, EqualsTheRecordedLabels) {
  std::ifstream file(tests_folder() / "golden" / "dali_order.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 500u);
  for (const auto& row : golden["cases"]) {
    const DaliReader reader{row["size"],  row["num_shards"],     row["shard_id"],
                            row["batch"], row["pad_last_batch"], row["stick_to_shard"]};
    const auto labels = row["labels"].get<std::vector<int64_t>>();
    ASSERT_EQ(picked(spec_of(reader), golden["batches"]), labels) << name_of(reader);
    ASSERT_EQ(reader.play(golden["batches"]), labels) << "the oracle errs: " << name_of(reader);
  }
}

TEST(DaliOrder, EpochsAreVisitsOfShards) {
  for (int64_t size = 1; size <= 24; ++size)
    for (int64_t shards = 1; shards <= 8; ++shards)
      for (const bool stick : {false, true})
        for (const EpochEnd end : {EpochEnd::kContinue, EpochEnd::kRepeat}) {
          // Every epoch that all ranks have finished holds every sample once, whichever rank had it.
          std::vector<std::vector<int>> seen(4, std::vector<int>(static_cast<size_t>(size)));
          for (int64_t shard = 0; shard < shards; ++shard) {
            const Spec spec{.size = size, .num_shards = shards, .shard = shard, .stick = stick, .epoch_end = end};
            for (int64_t step = 0; step < 5 * (size / shards + 1); ++step) {
              const Pick p = pick(spec, step, 0);
              if (p.valid && p.epoch < 4) ++seen[p.epoch][static_cast<size_t>(p.index)];
            }
          }
          for (const auto& epoch : seen)
            for (const int count : epoch) ASSERT_EQ(count, 1) << "N=" << size << " S=" << shards << " stick=" << stick;
        }
}

}  // namespace
}  // namespace penstock::order
