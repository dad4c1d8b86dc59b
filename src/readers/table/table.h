// A data set of the rows of tables, whose row groups are loaded when they are needed and kept while there is room.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lazy.h"
#include "readers/records/group_cache.h"
#include "readers/table/column.h"
#include "readers/table/table_file.h"

namespace penstock {

/// The columns of one row group, in memory. Immutable.
struct RowGroup {
  std::vector<Column> columns;
};

/// Safe to use from all threads.
class Table {
 public:
  struct Place {
    size_t group = 0;
    int64_t row = 0;  ///< in its group
  };

  /// @param budget bytes of row groups to keep; what is in use is kept beyond that
  /// @throws DataError where there are no rows, and what open_tables() throws
  Table(const TableRequest& request, size_t budget);

  int64_t size() const { return indices_.data() ? static_cast<int64_t>(indices_.size()) : begins_.back(); }
  /// Which row of all tables, one behind the other, sample `index` is. @throws IndexError, DataError
  int64_t row_of(int64_t index) const;
  /// @throws IndexError, DataError
  Place place(int64_t index) const;
  /// To be held no longer than the table. @throws DataError that names the file and the row group
  std::shared_ptr<const RowGroup> group(size_t which) const;
  /// Loads the row group, unless another call does: then the caller is free for the next one. Of mapped files, brings
  /// the row's texts and bytes into memory.
  void will_need(int64_t index) const;
  /// Asks the processor for sample `index`, and for where sample `later` lies, in row groups that are loaded and stay.
  void prefetch(int64_t index, int64_t later) const noexcept;
  /// Depends on the names of the files, without folders, on their row groups, and on which rows were chosen.
  uint64_t fingerprint() const;

  /// The file of a group, and its number there.
  const std::string& name_of(size_t group) const { return files_[groups_[group].file]->name(); }
  size_t number_of(size_t group) const { return groups_[group].number; }
  bool is_mapped(size_t group) const { return files_[groups_[group].file]->is_mapped(); }
  size_t num_groups() const { return groups_.size(); }
  /// Rows and bytes of the largest group, and bytes of all together.
  int64_t most_rows() const { return most_rows_; }
  int64_t most_bytes() const { return most_bytes_; }
  int64_t all_bytes() const { return all_bytes_; }

 private:
  struct Group {
    size_t file = 0, number = 0;
    int64_t bytes = 0;
  };
  void take_groups(size_t file);
  void take_indices();
  std::shared_ptr<const RowGroup> load(size_t which) const;

  std::vector<std::string> columns_;
  std::vector<std::unique_ptr<TableFile>> files_;
  ArrowColumn index_column_;
  std::span<const uint64_t> indices_;  // in it
  std::vector<Group> groups_;
  std::vector<int64_t> begins_ = {0};  // rows in front of each group
  int64_t most_rows_ = 0, most_bytes_ = 0, all_bytes_ = 0;
  using Loaded = std::shared_ptr<const RowGroup>;
  std::unique_ptr<Lazy<Loaded>[]> stay_;              // by group, where all have room
  std::unique_ptr<GroupCache<RowGroup>> cache_;       // else
  std::unique_ptr<std::atomic<bool>[]> loads_ahead_;  // by group, while will_need() loads it
};

}  // namespace penstock
