// What the executor asks of an operator that is a source of samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "order/order.h"
#include "order/selection.h"
#include "schema/operator.h"

namespace penstock {

/// What an operator also is that reads; see Traits::reader. All methods may be called from any thread. The first call
/// opens the data set if `lazy_init` put that off.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Samples in the data set, over all shards; at least 1. @throws ArgumentError, DataError
  virtual int64_t size() const = 0;
  /// The class of each sample, where that is known without reading it; else empty. @throws as size()
  virtual std::span<const int32_t> labels() const { return {}; }
  /// What an epoch takes; null where it is each sample once. @throws as size(), and ArgumentError
  virtual order::SelectionPtr selection() const { return nullptr; }
  /// Order of the positions of epochs, at which stands what is selected. @throws as selection(), and ArgumentError when
  /// there are fewer samples than shards
  virtual order::Spec order(const OpSpec& spec) const = 0;
  /// Brings the sample's bytes into the system's memory, because they will be read soon. Waits for the last of
  /// them, so that its duration tells whether they were there; never throws.
  virtual void will_need(int64_t index) const noexcept = 0;
  /// The calling thread reads sample `index` next and `later` after that: starts to bring what the first begins with,
  /// and where the other lies, from memory into the processor's cache. Does not wait; never throws.
  virtual void prefetch(int64_t index, int64_t later) const noexcept { (void)index, (void)later; }
  /// Batches that samples of like length_of() are gathered in; 0: samples come in their order.
  virtual int64_t bucket_batches() const { return 0; }
  /// How long sample `index` is, in a unit of the reader's; called once order() was.
  virtual int64_t length_of(int64_t index) const noexcept { return static_cast<void>(index), 0; }
  /// Equal on all ranks that read the same data set, whatever their shard or mount point.
  virtual uint64_t fingerprint() const = 0;
  /// For messages: where sample `index` lies, as it can be opened, when its first output has the source `name`; empty
  /// when that is not this reader's sample, or its name says all.
  virtual std::string place(int64_t index, std::string_view name) const {
    (void)index, (void)name;
    return {};
  }
  /// For messages: what else the data set calls sample `index`, such as "image_id 42"; empty where the place says all.
  virtual std::string record(int64_t index) const { return static_cast<void>(index), std::string(); }
};

}  // namespace penstock
