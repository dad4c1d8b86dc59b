#include "readers/table/table_reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

class ParquetReader : public TableReader {
 public:
  ParquetReader() : TableReader("parquet") {}
};

}  // namespace

[[gnu::cold]] void register_parquet(Registry& r) {
  auto op = r.add<ParquetReader>("readers.parquet");
  op.doc(
      "Reads columns of Parquet files through pyarrow, a row group at a time, and gives a dict of nodes. Row groups "
      "that were decoded are kept while `cache_size` has room; a shuffle needs them all there, or `shuffle_groups`.");
  op.arg("path", &TableArgs::path,
         "Path of a file, of a folder (all *.parquet below it), a pattern such as \"train-*.parquet\", or a list of "
         "these, read one after the other.",
         kRequired);
  add_group_args(op);
  op.arg("check_crc", &TableArgs::check_crc, "Compare pages with the checksums that are stored with them, if any.");
  op.example({{"path", ExampleData{"parquet"}}, {"columns", {"image", "label"}}});
  add_table_args(op);
}

}  // namespace penstock
