// Arrays of other libraries that lie on a GPU, as batches.
#pragma once

#include <nanobind/nanobind.h>

#include <penstock/tensor.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Whether the array, or the first one of a list, lies on a GPU: a TensorGPU, a TensorListGPU, or what DLPack says so
/// of.
bool is_on_gpu(nb::handle data);

/// A batch from one array whose outermost axis is the batch, or from a list with an array per sample, on one GPU. Work
/// that was queued before on the stream that is current for the array's library comes first.
/// @param copy has the host wait for a copy, so that the arrays may be written afterwards; else their memory is shared
/// @throws TypeError for what does not lie on a GPU, DataError for strided arrays
TensorList gpu_batch_of(nb::handle data, bool copy);

}  // namespace penstock::bindings
