// Base of the readers of records that an index finds.
#pragma once

#include <string>
#include <string_view>

#include "readers/reader.h"
#include "readers/records/digits.h"
#include "readers/records/record_files.h"

namespace penstock {

struct RecordArgs : ReaderArgs {
  bool dont_use_mmap = false;
  InPlace in_place() const { return dont_use_mmap ? InPlace{} : InPlace::usual(); }
};

template <class A, class S>
class RecordReader : public ReaderOperator<A, RecordFiles, S> {
 public:
  void prefetch(int64_t index, int64_t later) const noexcept override { this->data().prefetch(index, later); }

 protected:
  /// The sample's record; names it as the source of all outputs.
  Record take(Sample& s) const {
    const int64_t index = this->index(s);
    Record record;
    naming_source([&] { return this->data().path(index); },
                  [&] { record = this->data().at(index, [&](size_t n) { return s.scratch_array<char>(n); }); });
    const std::string_view source = joined(s, {record.path, " at index ", Digits(record.begin)});
    for (int i = 0; i < s.num_outputs(); ++i) s.out(i).source = source, s.out(i).lies_in = record.lies_in;
    return record;
  }
};

/// Describes the arguments of RecordArgs.
template <class Op>
OpBuilder<Op>& add_record_args(OpBuilder<Op>& op) {
  op.arg("dont_use_mmap", &RecordArgs::dont_use_mmap, kDontUseMmap);
  op.ignored("use_o_direct", ArgType::kBool, "Files are read through the system's cache.");
  return add_reader_args(op);
}

}  // namespace penstock
