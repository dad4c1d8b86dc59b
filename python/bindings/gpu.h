// The classes TensorGPU and TensorListGPU: what lies in the memory of a GPU.
#pragma once

#include <nanobind/nanobind.h>

#include <penstock/tensor.h>

namespace penstock::bindings {

namespace nb = nanobind;

struct GpuTensor {
  Tensor tensor;
};

struct GpuTensorList {
  TensorList list;
};

void bind_gpu(nb::module_& m);
/// What DALI's users know of tensors besides.
void bind_gpu_members(nb::class_<GpuTensor>& tensor, nb::class_<GpuTensorList>& list);

/// A batch as the class for the memory that it lies in.
nb::object batch_object(TensorList list);
/// The batch in an object of either class. @throws nb::cast_error for another object
TensorList list_of(nb::handle batch);

}  // namespace penstock::bindings
