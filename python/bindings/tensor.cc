#include "tensor.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.h"
#include "buffer.h"
#include "core/check.h"
#include "dlpack.h"
#include "text.h"

namespace penstock::bindings {
namespace {

Tensor constructed(nb::handle array, const std::optional<std::string>& layout, bool /*is_pinned*/) {
  Tensor tensor = import_tensor(array);
  apply_layout(tensor.view, layout);
  return tensor;
}

}  // namespace

bool squeeze(Tensor& tensor, std::optional<int> dim) {
  TensorView& view = tensor.view;
  const int before = view.shape.ndim();
  const int only = dim ? (*dim < 0 ? *dim + before : *dim) : -1;
  PENSTOCK_CHECK(!dim || (only >= 0 && only < before), IndexError, "dimension {} is out of range for a {}D tensor",
                 *dim, before);
  for (int axis = before - 1; axis >= 0; --axis) {
    if (view.shape[axis] != 1 || (dim && axis != only)) continue;
    view.shape.erase(axis);
    if (!view.layout.empty()) view.layout.erase(axis);
  }
  return view.shape.ndim() != before;
}

nb::object property(const Tensor& tensor, const std::string& key) {
  if (key == "layout") return nb::cast(tensor.view.layout.str());
  if (key == "source_info") return text_of(tensor.source);
  return nb::none();
}

void reinterpret(Tensor& tensor, int dtype) {
  PENSTOCK_CHECK(size_of(static_cast<DType>(dtype)) == size_of(tensor.view.dtype), DataError,
                 "Cannot reinterpret the tensor as having a different element size");
  tensor.view.dtype = static_cast<DType>(dtype);
}

nb::dict interface_of(const TensorView& view) {
  if (view.dtype == DType::kBFloat16) throw nb::attribute_error("NumPy has no bfloat16 of its own");
  const char kind = view.dtype == DType::kBool ? 'b'
                    : is_floating(view.dtype)  ? 'f'
                    : is_signed(view.dtype)    ? 'i'
                                               : 'u';
  const size_t size = size_of(view.dtype);
  nb::dict d;
  d["version"] = 3;
  d["typestr"] = (size == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(size);
  d["shape"] = nb::tuple(nb::cast(extents_of(view)));
  d["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(view.data), false);
  d["strides"] = nb::none();
  return d;
}

std::vector<int64_t> extents_of(const TensorView& view) { return {view.shape.begin(), view.shape.end()}; }

void* address_of(nb::handle pointer) {
  const nb::object value = nb::hasattr(pointer, "value") ? nb::object(pointer.attr("value")) : nb::borrow(pointer);
  return reinterpret_cast<void*>(nb::cast<uintptr_t>(value));
}

void bind_tensor(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Tensor>(m, "TensorCPU", nb::type_slots(buffer_slots()),
                     "One tensor in host memory. The memory lives as long as anything made from it.")
      .def(
          "__init__",
          [](Tensor* self, nb::handle array, const std::optional<std::string>& layout, bool is_pinned) {
            new (self) Tensor(constructed(array, layout, is_pinned));
          },
          "array"_a, "layout"_a = nb::none(), "is_pinned"_a = false,
          "Wraps an array (NumPy, DLPack, buffer protocol) without copying it; the array is kept alive.")
      .def(
          "shape", [](const Tensor& t) { return extents_of(t.view); }, "Extents, as a list.")
      .def(
          "ndim", [](const Tensor& t) { return t.view.shape.ndim(); }, "Number of axes.")
      .def(
          "layout", [](const Tensor& t) { return t.view.layout.str(); },
          "Axis letters, such as \"HWC\"; empty when there are none.")
      .def(
          "set_layout", [](Tensor& t, const std::optional<std::string>& l) { apply_layout(t.view, l.value_or("")); },
          "layout"_a.none(),
          "Gives the axes the letters of `layout`; None takes them away. ValueError for another number.")
      .def_prop_ro(
          "dtype", [](const Tensor& t) { return dtype_object(t.view.dtype); }, "A DALIDataType.")
      .def_prop_ro(
          "nbytes", [](const Tensor& t) { return t.view.nbytes(); }, "Bytes of the data.")
      .def(
          "as_cpu", [](nb::handle self) { return nb::borrow(self); }, "Itself.")
      .def("squeeze", &squeeze, "dim"_a = nb::none(),
           "Drops the axis `dim`, or all of them, in place where the extent is 1; True when there was one.")
      .def(
          "source_info", [](const Tensor& t) { return text_of(t.source); },
          "File or key that the data was read from; may be empty.")
      .def("get_property", &property, "key"_a,
           "\"layout\" or \"source_info\" (`key`) as text; None where there is none.")
      .def(
          "data_ptr", [](const Tensor& t) { return reinterpret_cast<uintptr_t>(t.view.data); }, "Address of the data.")
      .def("reinterpret", &reinterpret, "dtype"_a,
           "Takes the bytes for elements of `dtype`, in place. RuntimeError where sizes differ.")
      .def(
          "copy_to_external",
          [](const Tensor& t, nb::handle pointer) {
            void* to = address_of(pointer);
            const nb::gil_scoped_release released;
            std::memcpy(to, t.view.data, t.view.nbytes());
          },
          "ptr"_a, "Copies the data to the address `ptr`, a number or a ctypes.c_void_p, where nbytes must fit.")
      .def_prop_ro("__array_interface__", [](const Tensor& t) { return interface_of(t.view); })
      .def(
          "__array__",
          [](const Tensor& t, nb::handle dtype, nb::handle copy) {
            const bool must = !copy.is_none() && nb::cast<bool>(copy);
            nb::object array = must ? numpy_copy(t) : numpy_view(t);
            return dtype.is_none() ? array : array.attr("astype")(dtype, "copy"_a = false);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__dlpack__", &to_capsule, "stream"_a = nb::none(), "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none())
      .def("__dlpack_device__", [](const Tensor&) { return nb::make_tuple(nb::device::cpu::value, 0); });
}

}  // namespace penstock::bindings
