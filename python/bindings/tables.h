// What opens tables: Python's libraries.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

void bind_tables(nanobind::module_& m);

}  // namespace penstock::bindings
