#include "readers/table/table_file.h"

#include <mutex>

#include "core/check.h"

namespace penstock {
namespace {

struct Opener {
  std::mutex mutex;
  std::shared_ptr<const OpenTables> open;
};

Opener& opener() {
  static Opener* const instance = new Opener;  // never destroyed: workers may outlive static destruction
  return *instance;
}

}  // namespace

void set_table_opener(OpenTables open) {
  auto next = std::make_shared<const OpenTables>(std::move(open));
  const std::lock_guard lock(opener().mutex);
  opener().open.swap(next);
}

std::vector<std::unique_ptr<TableFile>> open_tables(const TableRequest& request) {
  std::shared_ptr<const OpenTables> open;
  {
    const std::lock_guard lock(opener().mutex);
    open = opener().open;
  }
  PENSTOCK_CHECK(open && *open, ArgumentError,
                 "this program has nothing that opens {} files: the readers of tables are those of Python, with "
                 "pyarrow; a program in C++ calls set_table_opener",
                 request.format);
  return (*open)(request);
}

}  // namespace penstock
