#include "errors.h"

#include <penstock/error.h>

#include "device/backend.h"
#include "text.h"

namespace penstock::bindings {
namespace {

PyObject* python_type(const Error& e) {
  if (dynamic_cast<const ArgumentError*>(&e)) return PyExc_ValueError;
  if (dynamic_cast<const TypeError*>(&e)) return PyExc_TypeError;
  if (dynamic_cast<const IndexError*>(&e)) return PyExc_IndexError;
  if (dynamic_cast<const KeyError*>(&e)) return PyExc_KeyError;
  if (dynamic_cast<const OutOfMemory*>(&e)) return PyExc_MemoryError;
  if (dynamic_cast<const EndOfData*>(&e)) return PyExc_StopIteration;
  return PyExc_RuntimeError;
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& e) {
      PyErr_SetObject(python_type(e), text_of(e.what()).ptr());
    } catch (const device::Full& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    }
  });
}

}  // namespace penstock::bindings
