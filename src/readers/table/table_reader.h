// The readers of tables: of Parquet files, whose row groups are decoded, and of Arrow files, which are mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "readers/file/posix_file.h"
#include "readers/reader.h"
#include "readers/records/group_args.h"
#include "readers/table/table.h"

namespace penstock {

struct TableArgs : ReaderArgs, GroupArgs {
  std::vector<std::string> path, columns;
  std::string nulls = "error";
  float fill_value = 0;
  bool check_crc = false;
};

/// A row on its way from infer to run: the group stays as long as it is read.
struct OpenRow {
  size_t which = 0;
  std::shared_ptr<const RowGroup> group;
  std::vector<Cell> cells;
  std::vector<PosixFile> files;
};

class TableReader : public ReaderOperator<TableArgs, Table, OpenRow> {
 public:
  explicit TableReader(std::string_view format) : format_(format) {}
  void setup() override;
  void infer(Sample& s) const override;
  void run(Sample& s) const override;
  order::Spec order(const OpSpec& spec) const override;
  void prefetch(int64_t index, int64_t later) const noexcept override { data().prefetch(index, later); }

 protected:
  void check_args() const override;
  Table open() const override;
  std::vector<int64_t> open_lengths() const override;

 private:
  void describe(Sample& s, size_t column, bool shares) const;
  std::string_view format_;
  bool fill_ = false;
};

/// One output for each of `columns`. @throws ArgumentError for none, and for a name that comes twice
int count_columns(const OpSpec& spec);

/// Describes the outputs and the arguments of TableArgs but those of one format.
template <class Op>
OpBuilder<Op>& add_table_args(OpBuilder<Op>& op) {
  op.output("columns",
            "Numbers and lists of numbers in their type and shape (a number has no dimension, times are whole numbers "
            "in the column's unit); texts and bytes as uint8 of one dimension.");
  op.outputs_by("columns").count_outputs(count_columns);
  op.arg("columns", &TableArgs::columns,
         "Names of columns, an output each. `image.bytes` is a part of a column of structs; of one that has the parts "
         "`bytes` and `path`, as pictures of Hugging Face's data sets, the bytes are read.",
         kRequired);
  op.arg("nulls", &TableArgs::nulls,
         "What a value that is missing is: \"error\", or \"fill\": `fill_value` for a number or an element of a list, "
         "empty for texts, bytes and lists.");
  op.arg("fill_value", &TableArgs::fill_value, "What numbers that are missing become with `nulls=\"fill\"`.");
  return add_reader_args(op);
}

}  // namespace penstock
