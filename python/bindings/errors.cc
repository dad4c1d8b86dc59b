#include "errors.h"

#include <penstock/error.h>

#include "device/runtime.h"
#include "text.h"

namespace penstock::bindings {
namespace {

/// An error that is of Python's kind and of the one that DALI raises in such places: either `except` catches it.
struct Kind {
  const char* name;
  PyObject* python;
  const char* doc;
};

const char* name_of(const Error& e) {
  if (dynamic_cast<const ArgumentError*>(&e)) return "ArgumentError";
  if (dynamic_cast<const TypeError*>(&e)) return "ArgumentTypeError";
  if (dynamic_cast<const IndexError*>(&e)) return "OutOfRangeError";
  if (dynamic_cast<const KeyError*>(&e)) return "UnknownNameError";
  if (dynamic_cast<const OutOfMemory*>(&e)) return "OutOfMemoryError";
  return nullptr;
}

nb::object class_of(nb::handle module, const Error& e) {
  if (dynamic_cast<const EndOfData*>(&e)) return nb::borrow(PyExc_StopIteration);
  const char* name = name_of(e);
  return name ? nb::object(module.attr(name)) : nb::borrow(PyExc_RuntimeError);
}

void add_classes(nb::module_& m) {
  const Kind kinds[] = {
      {"ArgumentError", PyExc_ValueError, "A value that was given is wrong."},
      {"ArgumentTypeError", PyExc_TypeError, "A value that was given is of the wrong type."},
      {"OutOfRangeError", PyExc_IndexError, "An index is out of range."},
      {"UnknownNameError", PyExc_KeyError, "A name does not exist."},
      {"OutOfMemoryError", PyExc_MemoryError, "A limit on memory was reached."},
  };
  for (const auto& [name, python, doc] : kinds) {
    nb::object bases = nb::make_tuple(nb::handle(python), nb::handle(PyExc_RuntimeError));
    if (python == PyExc_TypeError) {  // DALI takes the value for one that cannot be converted
      bases = nb::make_tuple(nb::handle(python), nb::handle(PyExc_ValueError), nb::handle(PyExc_RuntimeError));
    }
    const auto whole = std::string("penstock.errors.") + name;
    auto made = nb::steal(PyErr_NewExceptionWithDoc(whole.c_str(), doc, bases.ptr(), nullptr));
    if (!made) throw nb::python_error();
    m.attr(name) = made;
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  add_classes(m);
  const auto translate = [](const std::exception_ptr& thrown, void* module) {
    const nb::handle errors(static_cast<PyObject*>(module));
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& e) {
      PyErr_SetObject(class_of(errors, e).ptr(), text_of(e.what()).ptr());
    } catch (const device::Full& e) {
      PyErr_SetString(nb::object(errors.attr("OutOfMemoryError")).ptr(), e.what());
    }
  };
  nb::register_exception_translator(translate, m.ptr());  // the module is never freed
}

}  // namespace penstock::bindings
