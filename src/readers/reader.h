// What all readers have in common: their arguments, and what the executor asks of them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/lazy.h"
#include "order/order.h"
#include "readers/lengths.h"
#include "readers/selection.h"
#include "schema/reader.h"
#include "schema/schema.h"

namespace penstock {

/// Arguments of every reader, with DALI's names.
struct ReaderArgs : SelectionArgs {
  ReaderArgs() = default;  // no aggregate: in those GCC 12 sees uninitialised strings where none are
  bool random_shuffle = false;
  int64_t shuffle_buffer = 0;
  bool shuffle_list = false;
  bool shuffle_after_epoch = false;
  std::optional<int64_t> shuffle_after_epoch_seed;
  int64_t num_shards = 1;
  int64_t shard_id = 0;
  bool stick_to_shard = false;
  bool pad_last_batch = false;
  std::string epoch_end;
  std::string bucket_by;
  int64_t bucket_batches = 64;
  bool lazy_init = false;
  std::optional<int64_t> seed;
};

/// What can be said about the arguments before the data set is known. @throws ArgumentError
void check_reader_args(const ReaderArgs& args);

/// The order of epochs of `size` samples as the arguments ask for it.
/// @throws ArgumentError when there are fewer samples than shards, unless epoch_end is "pad" or "partial"
order::Spec order_of(const ReaderArgs& args, int64_t size, const OpSpec& spec);

/// Does `action`; an error that it throws tells `source()`, the place that the bytes come from.
template <class Source, class Action>
void naming_source(Source&& source, Action&& action) {
  try {
    action();
  } catch (Error& e) {
    e.add_context({.source = source()});
    throw;
  }
}

/// The parts one after the other, in memory of the sample.
std::string_view joined(Sample& s, std::initializer_list<std::string_view> parts);

/// An output that lies in memory of the reader.
inline void share_bytes(Value& out, std::string_view bytes, const Shape& shape, const Layout& layout) {
  auto* data = const_cast<char*>(bytes.data());
  out.tensor = {{DType::kUInt8, shape, layout}, reinterpret_cast<std::byte*>(data)};
}

/// Base of readers over a `Data` that is opened once: it has size(), will_need(index) and fingerprint().
template <class A, class Data, class S = Local>
class ReaderOperator : public SampleOperator<A, S>, public Reader {
 public:
  ReaderOperator() { this->traits_.reader = this; }
  void setup() override {
    check_reader_args(this->constants());
    check_selection_args(this->constants());
    check_args();
    if (!this->constants().lazy_init) order(this->spec());
  }
  int64_t size() const override { return data().size(); }
  order::SelectionPtr selection() const override {
    return selection_.get([this] { return select(); });
  }
  order::Spec order(const OpSpec& spec) const override {
    if (is_bucketed() && !by_bytes()) lengths();  // now, as errors reach the caller of build()
    const order::SelectionPtr selected = selection();
    return order_of(this->constants(), selected ? selected->size() : size(), spec);
  }
  int64_t bucket_batches() const override { return is_bucketed() ? this->constants().bucket_batches : 0; }
  int64_t length_of(int64_t index) const noexcept override {
    if (!by_bytes()) return lengths()[static_cast<size_t>(index)];
    try {
      return bytes_of(index);
    } catch (const Error&) {
      return 0;  // the read itself will meet the same error
    }
  }
  void will_need(int64_t index) const noexcept override {
    try {
      data().will_need(index);
    } catch (const Error&) {
      // The read itself will meet the same error, in a place where it can be reported.
    }
  }
  uint64_t fingerprint() const override {
    // A state is asked for every few batches, and 60,000 records take 3 ms.
    return fingerprint_.get([this] {
      const order::SelectionPtr selected = selection();
      return selected ? mix64(data().fingerprint(), selected->fingerprint()) : data().fingerprint();
    });
  }

 protected:
  virtual void check_args() const {}
  virtual Data open() const = 0;
  virtual order::SelectionPtr select() const { return selection_of(this->constants(), size(), this->labels()); }
  /// What `bucket_by` names, a number for each sample: a file of NumPy's. @throws ArgumentError, DataError
  virtual std::vector<int64_t> open_lengths() const { return read_lengths(this->constants().bucket_by, size()); }
  const Data& data() const {
    return data_.get([this] { return open(); });
  }
  const std::vector<int64_t>& lengths() const {
    return lengths_.get([this] { return open_lengths(); });
  }
  bool is_bucketed() const { return !this->constants().bucket_by.empty(); }
  int64_t index(const Sample& s) const { return s.id().picks[static_cast<size_t>(this->spec().reader)].index; }

 private:
  static constexpr bool kKnowsBytes = requires(const Data& data) { data.bytes_of(int64_t{}); };
  bool by_bytes() const { return kKnowsBytes && this->constants().bucket_by == "bytes"; }
  int64_t bytes_of(int64_t index) const {
    if constexpr (kKnowsBytes)
      return data().bytes_of(index);
    else
      return static_cast<void>(index), 0;
  }
  Lazy<std::vector<int64_t>> lengths_;
  Lazy<Data> data_;
  Lazy<order::SelectionPtr> selection_;
  Lazy<uint64_t> fingerprint_;
};

/// Describes the arguments that decide about the order, and those of DALI's that have no meaning here.
template <class Op>
OpBuilder<Op>& add_order_args(OpBuilder<Op>& op) {
  op.host_only("reads files");
  op.arg("random_shuffle", &ReaderArgs::random_shuffle,
         "Deliver the samples in random order: a permutation of the whole data set, new in each epoch.");
  op.arg(
      "shuffle_buffer", &ReaderArgs::shuffle_buffer,
      "With `random_shuffle`: mix only so many samples of a shard at a time. They are read in their own order into a "
      "buffer of that size, any of which comes next: for disks that read slowly here and there. 0: all samples.");
  op.arg("shuffle_list", &ReaderArgs::shuffle_list,
         "With `shuffle_buffer`: the own order is a permutation of the whole data set, the same in all epochs.");
  op.arg("shuffle_after_epoch", &ReaderArgs::shuffle_after_epoch,
         "DALI's name for what `random_shuffle` does here; excludes `random_shuffle` and `stick_to_shard`.");
  op.arg("shuffle_after_epoch_seed", &ReaderArgs::shuffle_after_epoch_seed,
         "Seed of the permutations, if not the pipeline's `shuffle_seed`. All shards must use the same one.");
  op.arg("num_shards", &ReaderArgs::num_shards, "Parts that the data set is divided into.");
  op.arg("shard_id", &ReaderArgs::shard_id, "The part that is read in the first epoch, counted from 0.");
  op.arg("stick_to_shard", &ReaderArgs::stick_to_shard,
         "Read the same part in every epoch instead of moving on to the next one.");
  op.arg("pad_last_batch", &ReaderArgs::pad_last_batch,
         "Repeat the last sample until the last batch is full and all shards have the same length.");
  op.arg(
      "epoch_end", &ReaderArgs::epoch_end,
      "What to do when the samples of an epoch do not fill the last batch: \"pad\" repeats the last sample and marks "
      "the repetitions as not valid, \"drop\" leaves the batch out, \"partial\" makes it shorter, \"wrap\" fills it "
      "from the beginning of the epoch. Empty: `pad_last_batch` decides.");
  op.arg(
      "bucket_by", &ReaderArgs::bucket_by,
      "Put samples of like length into one batch, so that little of a padded batch is padding: \"bytes\" (as they are "
      "stored), a file of NumPy's (.npy) with a number for each sample of the data set, which "
      "`penstock.measure_lengths` writes, or a column of a table: its numbers, or how long its lists and texts are. "
      "Each epoch has the samples that it would have without. Needs an `epoch_end`.");
  op.arg("bucket_batches", &ReaderArgs::bucket_batches,
         "With `bucket_by`: batches that are filled together, by length, and come in random order if the samples do. "
         "More of them leave less padding, and less chance to which samples meet in a batch.");
  op.arg("lazy_init", &ReaderArgs::lazy_init,
         "Open the data set when it is first used, not when the pipeline is built.");
  op.arg(
      "seed", &ReaderArgs::seed,
      "Readers of a pipeline that have one seed, or none, shuffle alike; those with different seeds do not. Its value "
      "has no effect, as ranks with different ones would share samples: the order follows `shuffle_seed` of the "
      "pipeline, or `shuffle_after_epoch_seed`.");
  op.ignored(
      "initial_fill", ArgType::kInt,
      "The whole data set is shuffled, without a buffer; see `shuffle_buffer`, which it is with `penstock.dali`.");
  op.ignored("prefetch_queue_depth", ArgType::kInt, "The pipeline decides how far it reads ahead.");
  op.ignored("read_ahead", ArgType::kBool, "The pipeline decides how far it reads ahead.");
  op.ignored("skip_cached_images", ArgType::kBool, "Samples are always read.");
  op.ignored("tensor_init_bytes", ArgType::kInt, "Memory is taken from pools as it is needed.");
  return op.kind(OpKind::kReader).devices({"cpu"});
}

/// Describes all arguments of ReaderArgs.
template <class Op>
OpBuilder<Op>& add_reader_args(OpBuilder<Op>& op) {
  op.arg("subset", &SelectionArgs::subset,
         "Indices of the samples to read, the others are left out. In Python also a function of a label that says "
         "whether samples of it are read.");
  op.arg("weights", &SelectionArgs::weights,
         "One number for each sample of the data set: how often it comes, compared with the others. An epoch has its "
         "share of each sample, rounded down or up.");
  op.arg("balance", &SelectionArgs::balance,
         "\"class\": classes come equally often. \"stratified\": in each thousand samples, and in each epoch, they "
         "come as often as they are in the data set, one more or less. A class that comes more often than it has "
         "samples is gone through again and again.");
  op.arg("class_ratios", &SelectionArgs::class_ratios,
         "Ratios in which the classes come, one for each in ascending order; several lists: those of the first epochs, "
         "the last one from then on.");
  op.arg("classes", &SelectionArgs::classes,
         "The class of each sample of the data set, for `balance`, `class_ratios` and a function as `subset`; without "
         "it the labels, where the reader knows them before it reads the samples.");
  op.arg("epoch_size", &SelectionArgs::epoch_size,
         "Samples in an epoch of all shards together. The next epoch goes on where this one ends, so that all samples "
         "come equally often. Without it an epoch has as many as the data set or the subset.");
  return add_order_args(op);
}

}  // namespace penstock
