#include "unchanged.h"

#include <Python.h>

namespace nb = nanobind;

namespace penstock::bindings {
namespace {

/// Asks no `==` of what is one object, or empty on both sides, as most attributes of a module are: dicts of hooks.
bool same(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (PyDict_Check(a) && PyDict_Check(b) && !PyDict_Size(a) && !PyDict_Size(b)) return true;
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) throw nb::python_error();
  return equal != 0;
}

PyObject* item(PyObject* dict, PyObject* key) {
  PyObject* value = PyDict_GetItemWithError(dict, key);
  if (!value && PyErr_Occurred()) throw nb::python_error();
  return value;
}

bool has_items(const nb::dict& now, const nb::dict& seen) {
  if (now.size() != seen.size()) return false;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(seen.ptr(), &at, &key, &value);) {
    PyObject* other = item(now.ptr(), key);
    if (!other || !same(value, other)) return false;
  }
  return true;
}

nb::dict attributes(nb::handle object) {
  auto dict = nb::steal<nb::dict>(PyObject_GenericGetDict(object.ptr(), nullptr));
  if (!dict.is_valid()) throw nb::python_error();
  return dict;
}

bool has_values(const nb::dict& dict, const nb::tuple& values) {
  if (dict.size() != values.size()) return false;
  PyObject* value = nullptr;
  size_t k = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, nullptr, &value); ++k)
    if (value != values[k].ptr()) return false;
  return true;
}

bool have_attributes(const nb::list& objects, const nb::list& seen) {
  if (objects.size() != seen.size()) return false;
  for (size_t i = 0; i < objects.size(); ++i)
    if (!has_items(attributes(objects[i]), nb::dict(seen[i]))) return false;
  return true;
}

bool have_items(const nb::list& dicts, const nb::list& seen) {
  if (dicts.size() != seen.size()) return false;
  for (size_t i = 0; i < dicts.size(); ++i)
    if (!has_items(nb::dict(dicts[i]), nb::dict(seen[i]))) return false;
  return true;
}

bool have_values(const nb::list& dicts, const nb::list& values) {
  if (dicts.size() != values.size()) return false;
  for (size_t i = 0; i < dicts.size(); ++i)
    if (!has_values(nb::dict(dicts[i]), nb::tuple(values[i]))) return false;
  return true;
}

}  // namespace

void bind_unchanged(nb::module_& m) {
  using namespace nb::literals;
  m.def("have_attributes", &have_attributes, "objects"_a, "seen"_a, "Whether vars(object) == seen, for each of them.");
  m.def("have_items", &have_items, "dicts"_a, "seen"_a, "Whether dict == seen, for each of them.");
  m.def("have_values", &have_values, "dicts"_a, "values"_a,
        "Whether each dict has these objects as its values, in that order, the keys being whatever they are.");
}

}  // namespace penstock::bindings
