#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// What the command line needs beside pipelines: picture files to write, and facts about the host.
void bind_tools(nb::module_& m);

}  // namespace penstock::bindings
