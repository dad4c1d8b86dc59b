#include "readers/table/table.h"

#include <algorithm>

#include "core/check.h"
#include "readers/file/partial_map.h"
#include "readers/fingerprint.h"
#include "readers/reader.h"

namespace penstock {

Table::Table(const TableRequest& request, size_t budget) : columns_(request.columns), files_(open_tables(request)) {
  for (size_t file = 0; file < files_.size(); ++file) take_groups(file);
  if (files_.size() == 1) take_indices();
  if (all_bytes_ <= static_cast<int64_t>(budget))
    stay_ = std::make_unique<Lazy<Loaded>[]>(groups_.size());
  else
    cache_ = std::make_unique<GroupCache<RowGroup>>(budget);
  loads_ahead_ = std::make_unique<std::atomic<bool>[]>(groups_.size());
  PENSTOCK_CHECK(size() > 0, DataError, "no rows found in {}", fmt::join(request.paths, ", "));
}

void Table::take_groups(size_t file) {
  const std::vector<TableFile::Group>& groups = files_[file]->groups();
  for (size_t number = 0; number < groups.size(); ++number) {
    const auto [rows, bytes] = groups[number];
    if (rows == 0) continue;
    PENSTOCK_CHECK(rows > 0 && bytes >= 0 && rows < (int64_t{1} << 42) - begins_.back(), DataError,
                   "row group {} of {} has {} rows of {} bytes: the file is damaged", number, files_[file]->name(),
                   rows, bytes);
    groups_.push_back({file, number, bytes});
    begins_.push_back(begins_.back() + rows);
    most_rows_ = std::max(most_rows_, rows);
    most_bytes_ = std::max(most_bytes_, bytes);
    all_bytes_ += bytes;
  }
}

void Table::take_indices() {
  index_column_ = files_[0]->indices();
  const ArrowArray& array = index_column_.array();
  if (array.release == nullptr) return;
  const bool good = index_column_.schema().format == std::string_view("L") && array.n_buffers == 2 &&
                    array.length >= 0 && array.null_count == 0 && (array.length == 0 || array.buffers[1] != nullptr);
  PENSTOCK_CHECK(good, DataError, "indices must be uint64 without nulls");
  static constexpr uint64_t kNone[1] = {};
  const uint64_t* first = array.length > 0 ? static_cast<const uint64_t*>(array.buffers[1]) + array.offset : kNone;
  indices_ = {first, static_cast<size_t>(array.length)};
}

int64_t Table::row_of(int64_t index) const {
  PENSTOCK_CHECK(index >= 0 && index < size(), IndexError, "row {} of {}", index, size());
  if (!indices_.data()) return index;
  const uint64_t row = indices_[static_cast<size_t>(index)];
  PENSTOCK_CHECK(row < static_cast<uint64_t>(begins_.back()), DataError,
                 "index {} of the data set is row {}, its table has {}", index, row, begins_.back());
  return static_cast<int64_t>(row);
}

Table::Place Table::place(int64_t index) const {
  const int64_t row = row_of(index);
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), row);
  const auto group = static_cast<size_t>(next - begins_.begin() - 1);
  return {group, row - begins_[group]};
}

std::shared_ptr<const RowGroup> Table::load(size_t which) const {
  const TableFile& file = *files_[groups_[which].file];
  const size_t number = groups_[which].number;
  const int64_t rows = begins_[which + 1] - begins_[which];
  auto group = std::make_shared<RowGroup>();
  const auto fill = [&] {
    std::vector<ArrowColumn> arrays = file.load(number);
    PENSTOCK_CHECK(arrays.size() == columns_.size(), DataError, "{} columns were loaded where {} are", arrays.size(),
                   columns_.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      try {
        group->columns.emplace_back(std::move(arrays[i]));
      } catch (const DataError& e) {
        fail<DataError>("column \"{}\": {}", columns_[i], e.message());
      }
      PENSTOCK_CHECK(group->columns[i].rows() == rows, DataError, "column \"{}\" has {} rows, the row group has {}",
                     columns_[i], group->columns[i].rows(), rows);
    }
  };
  naming_source([&] { return fmt::format("{} row group {}", file.name(), number); }, fill);
  return group;
}

std::shared_ptr<const RowGroup> Table::group(size_t which) const {
  if (stay_) {
    // Without a share: to count those of all threads takes as long as to read a small row.
    const Loaded& loaded = stay_[which].get([&] { return load(which); });
    return {Loaded(), loaded.get()};
  }
  return cache_->get(which, groups_[which].bytes, [&] { return load(which); });
}

void Table::will_need(int64_t index) const {
  const auto [which, row] = place(index);
  if (is_mapped(which)) {
    for (const Column& column : group(which)->columns) {
      if (!column.is_bytes()) continue;
      const Cell cell = column.at(row);
      if (cell.path.empty()) bring_in(Column::bytes_of(cell));
    }
    return;
  }
  if (loads_ahead_[which].exchange(true)) return;
  try {
    group(which);
  } catch (...) {
    loads_ahead_[which] = false;
    throw;
  }
  loads_ahead_[which] = false;
}

void Table::prefetch(int64_t index, int64_t later) const noexcept {
  if (!stay_) return;
  const auto each_column = [&](int64_t sample, auto&& ask) {
    if (sample < 0 || sample >= size()) return;
    const auto [which, row] = place(sample);
    const Loaded* loaded = stay_[which].peek();
    if (loaded == nullptr) return;
    for (const Column& column : (*loaded)->columns) ask(column, row);
  };
  try {
    each_column(later, [](const Column& column, int64_t row) { column.prefetch_place(row); });
    each_column(index, [](const Column& column, int64_t row) { column.prefetch_bytes(row); });
  } catch (const Error&) {
    // Reading the sample says so.
  }
}

uint64_t Table::fingerprint() const {
  Fingerprint all;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const std::string_view name = name_of(i);
    all.add(name.substr(name.rfind('/') + 1));  // npos + 1 is 0: no directory
    all.add(groups_[i].number);
    all.add(static_cast<uint64_t>(begins_[i + 1]));
  }
  for (const uint64_t row : indices_) all.add(row);
  return all.value();
}

}  // namespace penstock
