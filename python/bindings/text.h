// Text between Python and C++: UTF-8, in which names of files may hold any bytes (Python's "surrogateescape").
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace penstock::bindings {

namespace nb = nanobind;

std::string bytes_of(nb::str text);
nb::str text_of(std::string_view bytes);

}  // namespace penstock::bindings
