// Arrays of other libraries in, NumPy arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>

#include <penstock/tensor.h>

#include "core/check.h"

namespace penstock::bindings {

namespace nb = nanobind;

/// The array as DLPack spells its type.
nb::dlpack::dtype to_dlpack(DType dtype);
/// `penstock.types.DALIDataType` of that number.
nb::object dtype_object(DType dtype);
/// A Python object that something in C++ keeps alive; it is let go with the GIL held, on whatever thread.
std::shared_ptr<nb::object> hold(nb::object object);
/// The object behind an owner that hold() gave; none for another one.
nb::object held_by(const std::shared_ptr<void>& owner);

/// DLPack's type as Penstock has it. @throws TypeError that names the object's type where it has not
DType known_dtype(nb::dlpack::dtype dtype, nb::handle object);
std::string name_of_type(nb::handle object);

/// What an array of either memory holds. @throws DataError for strided data, ArgumentError for too many dimensions
template <class... Args>
TensorView dense_view(const nb::ndarray<Args...>& array, DType dtype) {
  TensorView view;
  view.dtype = dtype;
  PENSTOCK_CHECK(array.ndim() <= static_cast<size_t>(kMaxDims), ArgumentError,
                 "an array has {} dimensions, at most {} go", array.ndim(), kMaxDims);
  const auto ndim = static_cast<int>(array.ndim());
  for (int i = 0; i < ndim; ++i) view.shape.push_back(static_cast<int64_t>(array.shape(static_cast<size_t>(i))));
  const bool empty = view.shape.volume() == 0;
  int64_t dense = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    const int64_t stride = array.stride(static_cast<size_t>(i));
    PENSTOCK_CHECK(empty || view.shape[i] == 1 || stride == dense, DataError,
                   "Strided data not supported: dimension {} has a stride of {} elements where dense data has {}; pass "
                   "a contiguous copy",
                   i, stride, dense);
    dense *= view.shape[i];
  }
  view.data = static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(array.data())));
  return view;
}

/// A host array of any library that speaks DLPack or the buffer protocol, a TensorCPU, or whatever NumPy makes an array
/// of. Shares the memory. @throws DataError for strided data, TypeError for what is no array or lies on a GPU.
Tensor import_tensor(nb::handle object);
/// As import_tensor, with strided data made dense by a copy.
Tensor import_dense(nb::handle object);
/// Gives the tensor that layout; none leaves what it has. @throws ArgumentError when the letters do not fit the rank.
void apply_layout(TensorView& view, const std::optional<std::string>& layout);

/// The tensor's memory as a NumPy array that keeps it alive.
nb::object numpy_view(const Tensor& tensor);
/// A NumPy array of its own.
nb::object numpy_copy(const Tensor& tensor);

/// The samples with their own memory in one block, in which each begins at a multiple of `align` bytes where they
/// differ in size. The GIL is released while copying.
TensorList copied(const TensorList& list, size_t align = 64);

}  // namespace penstock::bindings
