#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.h"
#include "core/check.h"
#include "gpu.h"
#include "gpu_arrays.h"
#include "tensor.h"
#include "text.h"

namespace penstock::bindings {
namespace {

bool is_sequence(nb::handle object) { return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object); }

/// Whether each sample begins where the one before it ends.
bool lies_side_by_side(const TensorList& list) {
  for (int64_t i = 1; i < list.size(); ++i)
    if (list[i].data != list[i - 1].data + list[i - 1].nbytes()) return false;
  return true;
}

bool is_array(nb::handle object) {
  const auto has = [&](const char* name) { return nb::hasattr(object, name); };
  return has("__array__") || has("__dlpack__") || has("__array_interface__") || PyObject_CheckBuffer(object.ptr()) ||
         PyCapsule_CheckExact(object.ptr());
}

/// A batch of TensorCPU objects or arrays, as the constructor takes it.
TensorList from_tensors(nb::handle sequence) {
  std::vector<Tensor> samples;
  for (nb::handle item : sequence) {
    PENSTOCK_CHECK(nb::isinstance<Tensor>(item) || is_array(item), TypeError,
                   "Object at position {} cannot be converted to TensorCPU.", samples.size());
    samples.push_back(import_dense(item));
  }
  return TensorList(std::move(samples));
}

/// A batch of anything in host memory: a TensorList, one array whose outermost axis is the batch, or a list with an
/// array per sample.
TensorList host_batch_of(nb::handle data, bool copy) {
  if (nb::isinstance<TensorList>(data)) return nb::cast<TensorList>(data);  // what Penstock made is never written again
  if (!is_sequence(data)) {
    const TensorList list = split(import_dense(data));
    return copy ? copied(list) : list;
  }
  std::vector<Tensor> samples;
  for (nb::handle item : data) samples.push_back(import_dense(item));
  const TensorList list(std::move(samples));
  return copy ? copied(list) : list;
}

nb::object batch_of(nb::handle data, const std::optional<std::string>& layout, bool copy) {
  TensorList list = is_on_gpu(data) ? gpu_batch_of(data, copy) : host_batch_of(data, copy);
  apply_layout(list, layout);
  return batch_object(std::move(list));
}

TensorList constructed(nb::handle data, const std::optional<std::string>& layout, bool contiguous) {
  TensorList list = nb::isinstance<TensorList>(data) ? nb::cast<TensorList>(data)
                    : is_sequence(data)              ? from_tensors(data)
                                                     : split(import_tensor(data));
  apply_layout(list, layout);
  return contiguous && is_sequence(data) && !lies_side_by_side(list) ? copied(list, 1) : list;
}

Tensor sample(const TensorList& list, int64_t i) { return list.at(i < 0 ? i + list.size() : i); }

nb::object array_at(const TensorList& list, int64_t i) {
  PENSTOCK_CHECK(i >= 0 && i < list.size(), DataError, "Index is out-of-range: {} of {} samples", i, list.size());
  return numpy_copy(list.at(i));
}

Tensor whole(const TensorList& list) {
  const nb::gil_scoped_release released;
  if (list.size() || list.dtype() != DType::kNone) return list.as_tensor();
  Tensor none;
  none.view.dtype = DType::kFloat;
  none.view.shape.push_back(0);
  return none;
}

nb::object as_array(const TensorList& list) {
  const Tensor tensor = whole(list);
  return list.contiguous() ? numpy_copy(tensor) : numpy_view(tensor);  // a gathered tensor is a copy already
}

void copy_out(const TensorList& list, nb::handle pointer) {
  auto* to = static_cast<std::byte*>(address_of(pointer));
  const nb::gil_scoped_release released;
  for (int64_t i = 0; i < list.size(); ++i) {
    std::memcpy(to, list[i].data, list[i].nbytes());
    to += list[i].nbytes();
  }
}

}  // namespace

TensorList split(const Tensor& whole) {
  PENSTOCK_CHECK(whole.view.shape.ndim() > 0, DataError,
                 "Cannot create TensorList from 0-dim array: the outermost axis is the batch");
  TensorDesc each = whole.view;
  each.shape.erase(0);
  if (!each.layout.empty()) each.layout.erase(0);
  Buffer block = whole.buffer;
  block.data = whole.view.data;
  block.size = whole.view.nbytes();
  return TensorList(std::move(block), whole.view.shape[0], each);
}

void apply_layout(TensorList& list, const std::optional<std::string>& layout) {
  if (!layout) return;
  const Layout given(*layout);
  PENSTOCK_CHECK(given.empty() || !list.size() || given.ndim() == list.ndim(), ArgumentError,
                 "A non-empty layout must have the same number of dimensions as the samples: \"{}\" has {}, they {}",
                 *layout, given.ndim(), list.ndim());
  list.set_layout(given);
}

TensorList broadcast(const Tensor& tensor, int64_t n) {
  return TensorList(std::vector<Tensor>(static_cast<size_t>(n), tensor));
}

TensorList reinterpreted(const TensorList& list, int dtype) {
  PENSTOCK_CHECK(size_of(static_cast<DType>(dtype)) == size_of(list.dtype()), DataError,
                 "Cannot reinterpret the batch as having a different element size");
  std::vector<Tensor> samples;
  for (int64_t i = 0; i < list.size(); ++i) {
    samples.push_back(list.at(i));
    samples.back().view.dtype = static_cast<DType>(dtype);
  }
  return TensorList(std::move(samples));
}

Tensor reshaped(Tensor tensor, const std::vector<int64_t>& extents) {
  const Shape shape{std::span<const int64_t>(extents)};
  PENSTOCK_CHECK(shape.volume() == tensor.view.shape.volume(), DataError, "shape {} has {} elements, the batch {}",
                 to_string(shape), shape.volume(), tensor.view.shape.volume());
  tensor.view.shape = shape;
  tensor.view.layout = {};
  return tensor;
}

uintptr_t address_of_first(const TensorList& list) {
  PENSTOCK_CHECK(lies_side_by_side(list), DataError,
                 "the samples do not lie side by side in one block; make a TensorListCPU of a list of them");
  return reinterpret_cast<uintptr_t>(list.size() ? list[0].data : nullptr);
}

nb::list shapes_of(const TensorList& list) {
  nb::list all;
  for (int64_t i = 0; i < list.size(); ++i) {
    nb::list extents;
    for (int64_t extent : list[i].shape) extents.append(extent);
    all.append(nb::tuple(extents));
  }
  return all;
}

nb::list sources_of(const TensorList& list) {
  nb::list all;
  for (int64_t i = 0; i < list.size(); ++i) all.append(text_of(list.source(i)));
  return all;
}

void bind_tensor_list(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<TensorList>(m, "TensorListCPU", "A batch in host memory: one tensor per sample.")
      .def(
          "__init__",
          [](TensorList* self, nb::handle data, const std::optional<std::string>& layout, bool, bool contiguous) {
            new (self) TensorList(constructed(data, layout, contiguous));
          },
          "data"_a, "layout"_a = nb::none(), "is_pinned"_a = false, "contiguous"_a = true,
          "Wraps an array whose outermost axis is the batch, or another TensorListCPU. A list of arrays or TensorCPU, "
          "of "
          "one type and rank, is copied into one block if `contiguous`, and wrapped otherwise.")
      .def_static("broadcast", &broadcast, "tensor"_a, "num_samples"_a,
                  "A batch of `num_samples` samples that all share the memory of `tensor`.")
      .def_static(
          "from_dlpack_list",
          [](nb::handle list, const std::optional<std::string>& layout, bool) {
            TensorList made = host_batch_of(list, false);
            apply_layout(made, layout);
            return made;
          },
          "list"_a, "layout"_a = nb::none(), "contiguous"_a = true,
          "A batch of the arrays of `list`, without copying, with axis letters `layout`; `contiguous` has no effect.")
      .def("at", &array_at, "index"_a,
           "A NumPy copy of the sample number `index`, from 0 on; RuntimeError when there is none.")
      .def("__getitem__", &sample, "index"_a)
      .def("__len__", &TensorList::size)
      .def("as_array", &as_array, "A NumPy copy of the whole batch, which must be uniform.")
      .def(
          "as_cpu", [](nb::handle self) { return nb::borrow(self); }, "Itself.")
      .def("as_tensor", &whole, "The batch as one tensor with a leading batch axis.")
      .def(
          "as_reshaped_tensor",
          [](const TensorList& l, const std::vector<int64_t>& shape) { return reshaped(whole(l), shape); }, "shape"_a,
          "The batch as one tensor of `shape`, of as many elements; RuntimeError otherwise.")
      .def("shape", &shapes_of, "Extents of each sample: a list of tuples.")
      .def("ndim", &TensorList::ndim, "Number of axes of a sample.")
      .def(
          "is_dense_tensor", [](const TensorList& l) { return l.uniform() && l.contiguous(); },
          "Whether all samples have one shape and lie in one block.")
      .def(
          "layout", [](const TensorList& l) { return l.layout().str(); },
          "Axis letters of a sample, such as \"HWC\"; empty when there are none.")
      .def(
          "set_layout",
          [](TensorList& l, const std::optional<std::string>& layout) { apply_layout(l, layout.value_or("")); },
          "layout"_a.none(), "Gives the axes of samples the letters of `layout`; None takes them away.")
      .def(
          "reset", [](TensorList& l) { l = TensorList(); }, "Lets go of all samples.")
      .def_prop_ro(
          "dtype", [](const TensorList& l) { return dtype_object(l.dtype()); }, "A DALIDataType.")
      .def(
          "source_info", [](const TensorList& l) { return sources_of(l); }, "File or key of each sample.")
      .def("data_ptr", &address_of_first,
           "Address of the first sample; RuntimeError unless all follow it without gaps.")
      .def(
          "reinterpret", [](TensorList& l, int dtype) { l = reinterpreted(l, dtype); }, "dtype"_a,
          "Takes the bytes for elements of `dtype`, in place. RuntimeError where sizes differ.")
      .def("copy_to_external", &copy_out, "ptr"_a,
           "Copies all samples, one after the other, to the address `ptr`, a number or a ctypes.c_void_p.")
      .def("head", &TensorList::head, "n"_a, "The first `n` samples, sharing memory.");
  m.def("batch_of", &batch_of, "data"_a, "layout"_a = nb::none(), "copy"_a = true,
        "A batch from an array, a list of arrays, a TensorListCPU or a TensorListGPU, in the memory where it lies.");
}

}  // namespace penstock::bindings
