#include "readers/reader.h"

#include <algorithm>

#include "core/check.h"

namespace penstock {
namespace {

order::EpochEnd epoch_end_of(const ReaderArgs& args) {
  using order::EpochEnd;
  if (args.epoch_end.empty()) return args.pad_last_batch ? EpochEnd::kRepeat : EpochEnd::kContinue;
  if (args.epoch_end == "pad") return EpochEnd::kPad;
  if (args.epoch_end == "drop") return EpochEnd::kDrop;
  if (args.epoch_end == "partial") return EpochEnd::kPartial;
  if (args.epoch_end == "wrap") return EpochEnd::kWrap;
  fail<ArgumentError>("epoch_end must be \"pad\", \"drop\", \"partial\", \"wrap\" or empty, got \"{}\"",
                      args.epoch_end);
}

}  // namespace

void check_reader_args(const ReaderArgs& args) {
  PENSTOCK_CHECK(args.num_shards > args.shard_id, ArgumentError,
                 "num_shards needs to be greater than shard_id, got num_shards={} and shard_id={}", args.num_shards,
                 args.shard_id);
  PENSTOCK_CHECK(args.shard_id >= 0, ArgumentError, "shard_id must not be negative, got {}", args.shard_id);
  PENSTOCK_CHECK(!args.shuffle_after_epoch || !args.stick_to_shard, ArgumentError,
                 "shuffle_after_epoch and stick_to_shard cannot be both true");
  PENSTOCK_CHECK(!args.shuffle_after_epoch || !args.random_shuffle, ArgumentError,
                 "shuffle_after_epoch and random_shuffle cannot be both true");
  PENSTOCK_CHECK(
      args.bucket_by.empty() || epoch_end_of(args) != order::EpochEnd::kContinue, ArgumentError,
      "bucket_by orders the samples of each epoch, so an epoch must end with a batch: pass epoch_end=\"pad\", "
      "\"drop\", \"partial\" or \"wrap\"");
  PENSTOCK_CHECK(args.bucket_batches >= 1 && args.bucket_batches <= (1 << 20), ArgumentError,
                 "bucket_batches must be 1 to {}, got {}", 1 << 20, args.bucket_batches);
  PENSTOCK_CHECK(args.shuffle_buffer >= 0 && args.shuffle_buffer <= (1 << 24), ArgumentError,
                 "shuffle_buffer must be 0 (all samples) to {}, got {}", 1 << 24, args.shuffle_buffer);
  epoch_end_of(args);
  PENSTOCK_CHECK(!args.pad_last_batch || args.epoch_end.empty() || args.epoch_end == "pad", ArgumentError,
                 "pad_last_batch=True contradicts epoch_end=\"{}\"; leave one of them out", args.epoch_end);
}

std::string_view joined(Sample& s, std::initializer_list<std::string_view> parts) {
  size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  auto* text = s.scratch_array<char>(size);
  char* end = text;
  for (const std::string_view part : parts) end = std::copy(part.begin(), part.end(), end);
  return {text, size};
}

order::Spec order_of(const ReaderArgs& args, int64_t size, const OpSpec& spec) {
  const order::EpochEnd end = epoch_end_of(args);
  const bool takes_empty_shards = end == order::EpochEnd::kPad || end == order::EpochEnd::kPartial;
  PENSTOCK_CHECK(takes_empty_shards || args.num_shards <= size, ArgumentError,
                 "The number of input samples: {}, needs to be at least equal to the requested number of shards: {}. "
                 "With epoch_end=\"pad\" or \"partial\" it may be less.",
                 size, args.num_shards);
  return {.size = size,
          .num_shards = args.num_shards,
          .shard = args.shard_id,
          .batch = spec.batch_size,
          .shuffle = args.random_shuffle || args.shuffle_after_epoch,
          .stick = args.stick_to_shard,
          .epoch_end = end,
          .seed = args.shuffle_after_epoch_seed ? static_cast<uint64_t>(*args.shuffle_after_epoch_seed) : spec.seed,
          .buffer = args.random_shuffle ? args.shuffle_buffer : 0,
          .listed = args.shuffle_list};
}

}  // namespace penstock
