#include "readers/table/table_reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

class ArrowReader : public TableReader {
 public:
  ArrowReader() : TableReader("arrow") {}
};

}  // namespace

[[gnu::cold]] void register_arrow(Registry& r) {
  auto op = r.add<ArrowReader>("readers.arrow");
  op.doc(
      "Reads columns of Arrow files (IPC files and streams, Feather), which are mapped through pyarrow: nothing is "
      "decoded or kept in memory, and texts and bytes are not copied. Gives a dict of nodes. "
      "`penstock.from_huggingface` "
      "makes this reader of a data set of Hugging Face's.");
  op.arg("path", &TableArgs::path,
         "Path of a file, of a folder (all *.arrow below it), a pattern such as \"data-*.arrow\", or a list of these, "
         "read one after the other. Compressed files are refused: they cannot be mapped.",
         kRequired);
  op.example({{"path", ExampleData{"arrow"}}, {"columns", {"image", "label"}}});
  add_table_args(op);
}

}  // namespace penstock
