#include "gpu_arrays.h"

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"
#include "core/check.h"
#include "device/transfer.h"
#include "gpu.h"
#include "tensor.h"

namespace penstock::bindings {
namespace {

using GpuArray = nb::ndarray<nb::ro, nb::device::cuda>;

/// The legacy default stream, by CUDA's own number for it: DLPack hands arrays over on it where none is asked for.
constexpr uintptr_t kDefaultStream = 1;

bool is_sequence(nb::handle object) { return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object); }

bool says_cuda(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return false;
  const nb::object device = object.attr("__dlpack_device__")();
  return nb::cast<int>(nb::int_(device[nb::int_(0)])) == nb::device::cuda::value;
}

Tensor import_on_gpu(nb::handle object) {
  if (nb::isinstance<GpuTensor>(object)) return nb::cast<GpuTensor&>(object).tensor;
  GpuArray array;
  if (!nb::try_cast(object, array, false)) {
    PyErr_Clear();
    fail<TypeError>("an object of type {} is no array on a GPU as the others of its batch are", name_of_type(object));
  }
  const TensorView view = dense_view(array, known_dtype(array.dtype(), object));
  void* const stream = reinterpret_cast<void*>(kDefaultStream);
  device::Pool& pool = device::Device::open(array.device_id()).memory();
  return {pool.lent(view.data, view.nbytes(), stream, std::make_shared<GpuArray>(std::move(array))), view, {}};
}

TensorList list_on_gpu(nb::handle data) {
  if (nb::isinstance<GpuTensorList>(data)) return nb::cast<GpuTensorList&>(data).list;
  if (!is_sequence(data)) return split(import_on_gpu(data));
  std::vector<Tensor> samples;
  for (nb::handle item : data) {
    samples.push_back(import_on_gpu(item));
    PENSTOCK_CHECK(samples.back().buffer.device == samples.front().buffer.device, DataError,
                   "sample {} lies on GPU {}, the first one on GPU {}", samples.size() - 1,
                   samples.back().buffer.device, samples.front().buffer.device);
  }
  return TensorList(std::move(samples));
}

}  // namespace

bool is_on_gpu(nb::handle data) {
  if (nb::isinstance<GpuTensorList>(data)) return true;
  if (!is_sequence(data)) return nb::isinstance<GpuTensor>(data) || says_cuda(data);
  if (!nb::len(data)) return false;
  const nb::object first = data[nb::int_(0)];
  return nb::isinstance<GpuTensor>(first) || says_cuda(first);
}

TensorList gpu_batch_of(nb::handle data, bool copy) {
  const TensorList list = list_on_gpu(data);
  if (!copy || !list.size() || nb::isinstance<GpuTensorList>(data))
    return list;  // what Penstock made is not written again
  const nb::gil_scoped_release released;
  device::Device& device = device::Device::open(list.device());
  const std::shared_ptr<void> stream = device.borrow_stream();
  TensorList made = device::packed(list, device, stream.get());
  device.finish(stream.get());
  return made;
}

}  // namespace penstock::bindings
