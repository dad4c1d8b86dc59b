// Arrays of other libraries in, NumPy arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>

#include <penstock/tensor.h>

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
