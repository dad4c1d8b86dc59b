// The classes TensorCPU and TensorListCPU.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include <penstock/tensor.h>

namespace penstock::bindings {

namespace nb = nanobind;

void bind_tensor(nb::module_& m);
void bind_tensor_list(nb::module_& m);

/// The dict of `__array_interface__`. @throws AttributeError for types that NumPy does not have
nb::dict interface_of(const TensorView& view);
std::vector<int64_t> extents_of(const TensorView& view);
/// One tuple of extents per sample.
nb::list shapes_of(const TensorList& list);
/// File or key of each sample.
nb::list sources_of(const TensorList& list);

/// What changes a description and leaves the data: the same for the memory of a host and of a GPU.
/// Drops the axis `dim`, all where none is named, where the extent is 1. True when there was one. @throws IndexError
bool squeeze(Tensor& tensor, std::optional<int> dim);
/// "layout" or "source_info" as text, None for others.
nb::object property(const Tensor& tensor, const std::string& key);
/// Takes the bytes for elements of another type. @throws DataError where sizes differ
void reinterpret(Tensor& tensor, int dtype);
TensorList reinterpreted(const TensorList& list, int dtype);
/// @throws ArgumentError for a layout of another number of axes
void apply_layout(TensorList& list, const std::optional<std::string>& layout);
/// A batch of `n` samples that share the memory of `tensor`.
TensorList broadcast(const Tensor& tensor, int64_t n);
/// A tensor of other extents. @throws DataError for another number of elements
Tensor reshaped(Tensor tensor, const std::vector<int64_t>& extents);
/// Address of the first sample. @throws DataError unless all follow it without gaps
uintptr_t address_of_first(const TensorList& list);

/// The samples of a tensor whose outermost axis is the batch. @throws DataError where it has no axis
TensorList split(const Tensor& whole);

/// Address that a ctypes pointer, or a plain integer, stands for.
void* address_of(nb::handle pointer);

}  // namespace penstock::bindings
