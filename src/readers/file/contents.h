// One output of a reader: the bytes of a file.
#pragma once

#include <string>

#include "core/check.h"
#include "readers/file/file_set.h"
#include "readers/reader.h"

namespace penstock {

/// What stays open between a sample's infer and run.
struct OpenFile {
  PosixFile file;
  int64_t index = 0;
};

/// For infer: opens file `index` of the set and describes its bytes. @throws DataError that names the file
inline void describe_contents(const FileSet& files, int64_t index, OpenFile& open, Value& out) {
  open.index = index;
  out.source = files.list().path(index);
  naming_source([&] { return files.list().full_path(index); },
                [&] {
                  open.file = files.open(index);
                  const int64_t size = open.file.size();
                  PENSTOCK_CHECK(size > 0, DataError, "file is empty (0 bytes)");
                  out.tensor = {{DType::kUInt8, {size}, {}}};
                });
}

/// For run: reads them, and closes the file.
inline void read_contents(const FileSet& files, OpenFile& open, const TensorView& out) {
  naming_source([&] { return files.list().full_path(open.index); }, [&] { open.file.read({out.data, out.nbytes()}); });
  open.file = PosixFile();
}

}  // namespace penstock
