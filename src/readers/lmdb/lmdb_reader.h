// Base of the readers of records in LMDB databases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "readers/lmdb/database.h"
#include "readers/reader.h"

namespace penstock {

struct LmdbArgs : ReaderArgs {
  std::vector<std::string> path;
  bool image_available = true;
  bool dont_use_mmap = false;
};

/// Raw pixels under that shape; records do not say how they lie, so there is no layout. @throws DataError when there
/// are more or fewer bytes than that
void share_pixels(Value& out, std::string_view bytes, const Shape& shape);

template <class A, class S>
class LmdbReader : public ReaderOperator<A, LmdbRecords, S> {
 public:
  void prefetch(int64_t index, int64_t later) const noexcept override { this->data().prefetch(index, later); }

 protected:
  LmdbRecords open() const override {
    const LmdbArgs& args = this->constants();
    return LmdbRecords(args.path, args.dont_use_mmap ? InPlace{} : InPlace::usual());
  }

  /// The sample's record; names it as the source of the first output.
  LmdbRecord take(Sample& s) const {
    const int64_t index = this->index(s);
    LmdbRecord record;
    naming_source([&] { return this->data().path(index); },
                  [&] { record = this->data().at(index, [&](size_t n) { return s.scratch_array<char>(n); }); });
    s.out(0).source = joined(s, {record.path, " at key ", record.key});
    s.out(0).lies_in = record.lies_in;
    return record;
  }
};

/// Describes the arguments of LmdbArgs.
template <class Op>
OpBuilder<Op>& add_lmdb_args(OpBuilder<Op>& op) {
  op.arg("path", &LmdbArgs::path, "Folder of the database, or a list of them that are read one after the other.",
         kRequired);
  op.arg("image_available", &LmdbArgs::image_available, "Records hold an image, before all else.");
  op.arg("dont_use_mmap", &LmdbArgs::dont_use_mmap, kDontUseMmap);
  return add_reader_args(op);
}

}  // namespace penstock
