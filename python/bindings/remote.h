// Files on servers, for tables and for `penstock doctor`.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

void bind_remote(nanobind::module_& m);

}  // namespace penstock::bindings
