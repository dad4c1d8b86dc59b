#include "readers/table/table_reader.h"

#include <fcntl.h>

#include <algorithm>

#include "core/check.h"
#include "readers/records/digits.h"
#include "schema/take_constant.h"

namespace penstock {

void TableReader::setup() {
  const TableArgs& a = constants();
  PENSTOCK_CHECK(a.nulls == "error" || a.nulls == "fill", ArgumentError,
                 "nulls must be \"error\" or \"fill\", got \"{}\"", a.nulls);
  fill_ = a.nulls == "fill";
  ReaderOperator::setup();
}

void TableReader::check_args() const { constants().budget(); }

Table TableReader::open() const {
  const TableArgs& a = constants();
  return {{std::string(format_), a.path, a.columns, a.check_crc}, a.budget()};
}

std::vector<int64_t> TableReader::open_lengths() const {
  const TableArgs& a = constants();
  if (a.bucket_by.ends_with(".npy")) return ReaderOperator::open_lengths();
  const Table table({std::string(format_), a.path, {a.bucket_by}, a.check_crc}, 0);
  std::vector<int64_t> by_row, lengths;
  for (size_t which = 0; which < table.num_groups(); ++which) {
    const auto group = table.group(which);
    for (int64_t row = 0; row < group->columns[0].rows(); ++row) by_row.push_back(group->columns[0].length_at(row));
  }
  for (int64_t i = 0; i < table.size(); ++i) lengths.push_back(by_row[static_cast<size_t>(table.row_of(i))]);
  return lengths;
}

order::Spec TableReader::order(const OpSpec& spec) const {
  order::Spec order = ReaderOperator::order(spec);
  const Table& table = data();
  if (table.all_bytes() > 0)  // else they are mapped
    shuffle_in_groups(order, constants(), {"row group", table.most_rows(), table.most_bytes(), table.all_bytes()});
  return order;
}

void TableReader::describe(Sample& s, size_t column, bool shares) const {
  const OpenRow& row = state(s);
  const Cell& cell = row.cells[column];
  Value& out = s.out(static_cast<int>(column));
  if (!cell.path.empty()) {
    PosixFile& file = state(s).files[column];
    const std::string path(cell.path);
    naming_source([&] { return path; }, [&] { file = PosixFile::open(AT_FDCWD, path.c_str()); });
    out.source = joined(s, {cell.path});
    out.tensor = {{DType::kUInt8, {file.size()}, {}}};
    return;
  }
  PENSTOCK_CHECK(fill_ || !row.group->columns[column].has_nulls(cell), DataError,
                 "a value is missing (null); nulls=\"fill\" takes `fill_value`, or an empty tensor, in its place");
  if (shares && row.group->columns[column].is_bytes())
    share_bytes(out, Column::bytes_of(cell), cell.desc.shape, {});
  else
    out.tensor = {cell.desc};
}

void TableReader::infer(Sample& s) const {
  OpenRow& row = state(s);
  const Table::Place place = data().place(index(s));
  const std::string& name = data().name_of(place.group);
  if (!row.group || row.which != place.group) row.group = data().group(place.group), row.which = place.group;
  const std::string_view where = joined(
      s,
      {name, " row group ", Digits(static_cast<int64_t>(data().number_of(place.group))), " row ", Digits(place.row)});
  const std::vector<std::string>& columns = constants().columns;
  row.cells.resize(columns.size());
  row.files.resize(columns.size());
  const bool shares = data().is_mapped(place.group);
  for (size_t i = 0; i < columns.size(); ++i) {
    s.out(static_cast<int>(i)).source = joined(s, {where, " column ", columns[i]});
    naming_source([&] { return fmt::format("{} column {}", where, columns[i]); },
                  [&] {
                    row.cells[i] = row.group->columns[i].at(place.row);
                    describe(s, i, shares);
                  });
  }
}

void TableReader::run(Sample& s) const {
  OpenRow& row = state(s);
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const Value& out = s.out(static_cast<int>(i));
    const Cell& cell = row.cells[i];
    if (!cell.path.empty()) {
      naming_source([&] { return std::string(cell.path); },
                    [&] {
                      row.files[i].read({out.tensor.data, out.tensor.nbytes()});
                    });
      row.files[i] = PosixFile();
    } else if (reinterpret_cast<const std::byte*>(out.tensor.data) != Column::start_of(cell)) {
      row.group->columns[i].write(cell, constants().fill_value, out.tensor.data);
    }
  }
}

int count_columns(const OpSpec& spec) {
  std::vector<std::string> columns;
  take_constant(spec, "columns", columns);
  PENSTOCK_CHECK(!columns.empty(), ArgumentError, "`columns` names no output");
  std::vector<std::string> sorted = columns;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  PENSTOCK_CHECK(twice == sorted.end(), ArgumentError, "`columns` names \"{}\" twice", *twice);
  return static_cast<int>(columns.size());
}

}  // namespace penstock
