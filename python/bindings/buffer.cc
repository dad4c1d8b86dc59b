#include "buffer.h"

#include <array>
#include <memory>

#include <penstock/tensor.h>

namespace penstock::bindings {
namespace {

namespace nb = nanobind;

/// What one Py_buffer points to; the tensor's shape may change (squeeze) while the buffer is held.
struct Held {
  Tensor tensor;
  std::array<Py_ssize_t, kMaxDims> shape{}, strides{};
};

/// The struct module's letter of the type; null where it has none.
const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return "B";
    case DType::kUInt16:
      return "H";
    case DType::kUInt32:
      return "I";
    case DType::kUInt64:
      return "Q";
    case DType::kInt8:
      return "b";
    case DType::kInt16:
      return "h";
    case DType::kInt32:
      return "i";
    case DType::kInt64:
      return "q";
    case DType::kFloat16:
      return "e";
    case DType::kFloat:
      return "f";
    case DType::kFloat64:
      return "d";
    case DType::kBool:
      return "?";
    case DType::kBFloat16:
    case DType::kNone:
      break;
  }
  return nullptr;
}

int get_buffer(PyObject* self, Py_buffer* out, int) {
  out->obj = nullptr;
  const Tensor& tensor = *nb::inst_ptr<Tensor>(self);
  const char* format = format_of(tensor.view.dtype);
  if (!format) {
    PyErr_SetString(PyExc_BufferError, "the buffer protocol has no format for this element type; use DLPack");
    return -1;
  }
  auto held = std::make_unique<Held>(Held{tensor});
  const Shape& shape = held->tensor.view.shape;
  const auto item = static_cast<Py_ssize_t>(size_of(tensor.view.dtype));
  Py_ssize_t stride = item;
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    held->shape[static_cast<size_t>(i)] = shape[i];
    held->strides[static_cast<size_t>(i)] = stride;
    stride *= shape[i];
  }
  out->buf = held->tensor.view.data ? static_cast<void*>(held->tensor.view.data) : held.get();
  out->len = static_cast<Py_ssize_t>(held->tensor.view.nbytes());
  out->itemsize = item;
  out->readonly = 0;
  out->ndim = shape.ndim();
  out->format = const_cast<char*>(format);
  out->shape = held->shape.data();
  out->strides = held->strides.data();
  out->suboffsets = nullptr;
  out->internal = held.release();
  out->obj = Py_NewRef(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* buffer) { delete static_cast<Held*>(buffer->internal); }

}  // namespace

PyType_Slot* buffer_slots() {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                {0, nullptr}};
  return slots;
}

}  // namespace penstock::bindings
