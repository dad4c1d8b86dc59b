// Whether a module, or an optimizer, is what it was: asked in each step, of thousands of attributes in large ones.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::bindings {

void bind_unchanged(nanobind::module_& m);

}  // namespace penstock::bindings
