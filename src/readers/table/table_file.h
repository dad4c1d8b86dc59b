// Tables come from the program: it knows a library for their files, and this library is not linked to any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "readers/table/arrow.h"

namespace penstock {

/// The columns that were asked for, of one file.
class TableFile {
 public:
  struct Group {
    int64_t rows = 0;
    int64_t bytes = 0;  ///< of memory that the columns take, about; 0 where they lie in a mapped file
  };
  virtual ~TableFile() = default;
  /// As messages name it.
  virtual const std::string& name() const = 0;
  /// Row groups, in order: each is loaded as a whole.
  virtual const std::vector<Group>& groups() const = 0;
  /// True where loading costs neither time nor memory.
  virtual bool is_mapped() const = 0;
  /// The rows that make the data set, as uint64, in order; nothing where all do.
  virtual ArrowColumn indices() const { return {}; }
  /// The columns of one group, each of the group's rows. Called from several threads. Offsets of lists and texts must
  /// have been compared with the sizes of buffers at both ends (Arrow's "validate"). @throws DataError
  virtual std::vector<ArrowColumn> load(size_t group) const = 0;
};

struct TableRequest {
  std::string format;  ///< "parquet" or "arrow"
  std::vector<std::string> paths, columns;
  bool check_crc = false;
};

/// Opens files, in order. @throws ArgumentError for a path that leads nowhere, DataError for what is no such file or
/// lacks a column
using OpenTables = std::function<std::vector<std::unique_ptr<TableFile>>(const TableRequest&)>;

/// Says what opens tables in this process; an empty one, that nothing does.
void set_table_opener(OpenTables open);
/// @throws ArgumentError when nothing does, and what the opener throws
std::vector<std::unique_ptr<TableFile>> open_tables(const TableRequest& request);

}  // namespace penstock
