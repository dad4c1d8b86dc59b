#include "text.h"

namespace penstock::bindings {

std::string bytes_of(nb::str text) {
  const auto encoded = nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded) throw nb::python_error();
  return {encoded.c_str(), encoded.size()};
}

nb::str text_of(std::string_view bytes) {
  auto text =
      nb::steal<nb::str>(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
  if (!text) throw nb::python_error();
  return text;
}

}  // namespace penstock::bindings
