#include "gpu.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <penstock/gpu.h>

#include "arrays.h"
#include "core/check.h"
#include "device/transfer.h"
#include "dlpack.h"
#include "tensor.h"
#include "text.h"

namespace penstock::bindings {
namespace {

/// The legacy default stream, by CUDA's own number for it: what DLPack and the array interface mean by no stream.
constexpr uintptr_t kDefaultStream = 1;

/// What is queued on the stream from now on may read the tensor. -1: the caller sees to the order himself.
void read_on(const Tensor& tensor, std::optional<int64_t> stream) {
  if (stream == -1 || !tensor.buffer.owner) return;
  const auto handle = static_cast<uintptr_t>(stream.value_or(kDefaultStream));
  device::block_of(tensor.buffer).read_on(reinterpret_cast<device::Stream>(handle));
}

nb::object capsule(const GpuTensor& self, std::optional<int64_t> stream, std::optional<std::pair<int, int>> max_version,
                   std::optional<std::pair<int, int>> dl_device, std::optional<bool> copy) {
  if (dl_device && *dl_device != std::pair(nb::device::cuda::value, self.tensor.buffer.device))
    throw nb::buffer_error("this tensor is in GPU memory; as_cpu() copies it to the host");
  if (copy.value_or(false)) throw nb::buffer_error("a GPU tensor is handed over without copying; copy it afterwards");
  read_on(self.tensor, stream);
  return make_capsule(self.tensor, max_version);
}

nb::dict array_interface(const GpuTensor& self) {
  read_on(self.tensor, std::nullopt);
  nb::dict d = interface_of(self.tensor.view);
  d["stream"] = kDefaultStream;
  return d;
}

Tensor downloaded(const Tensor& tensor) {
  const nb::gil_scoped_release released;
  return device::downloaded(TensorList(std::vector<Tensor>{tensor})).at(0);
}

nb::class_<GpuTensor> bind_gpu_tensor(nb::module_& m) {
  using namespace nb::literals;
  return nb::class_<GpuTensor>(
             m, "TensorGPU",
             "One tensor in the memory of a GPU. Nothing overwrites it while anything made from it lives.")
      .def(
          "shape", [](const GpuTensor& t) { return extents_of(t.tensor.view); }, "Extents, as a list.")
      .def(
          "ndim", [](const GpuTensor& t) { return t.tensor.view.shape.ndim(); }, "Number of axes.")
      .def(
          "layout", [](const GpuTensor& t) { return t.tensor.view.layout.str(); },
          "Axis letters, such as \"HWC\"; empty when there are none.")
      .def_prop_ro(
          "dtype", [](const GpuTensor& t) { return dtype_object(t.tensor.view.dtype); }, "A DALIDataType.")
      .def_prop_ro(
          "nbytes", [](const GpuTensor& t) { return t.tensor.view.nbytes(); }, "Bytes of the data.")
      .def(
          "device_id", [](const GpuTensor& t) { return t.tensor.buffer.device; }, "Number of the GPU.")
      .def(
          "source_info", [](const GpuTensor& t) { return text_of(t.tensor.source); },
          "File or key that the data was read from; may be empty.")
      .def(
          "data_ptr", [](const GpuTensor& t) { return reinterpret_cast<uintptr_t>(t.tensor.view.data); },
          "Address on the GPU. A reader waits first, as consumers of DLPack do.")
      .def(
          "as_cpu", [](const GpuTensor& t) { return downloaded(t.tensor); }, "A copy in host memory, waited for.")
      .def_prop_ro("__cuda_array_interface__", &array_interface)
      .def("__dlpack__", &capsule, "stream"_a = nb::none(), "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none())
      .def("__dlpack_device__",
           [](const GpuTensor& t) { return nb::make_tuple(nb::device::cuda::value, t.tensor.buffer.device); });
}

GpuTensor sample(const GpuTensorList& batch, int64_t i) { return {batch.list.at(i < 0 ? i + batch.list.size() : i)}; }

nb::class_<GpuTensorList> bind_gpu_list(nb::module_& m) {
  using namespace nb::literals;
  return nb::class_<GpuTensorList>(m, "TensorListGPU", "A batch in the memory of a GPU: one tensor per sample.")
      .def("__len__", [](const GpuTensorList& l) { return l.list.size(); })
      .def("__getitem__", &sample, "index"_a)
      .def("at", &sample, "index"_a, "Sample `index`, sharing memory. IndexError where there is none.")
      .def(
          "as_cpu",
          [](const GpuTensorList& l) {
            const nb::gil_scoped_release released;
            return device::downloaded(l.list);
          },
          "A copy in host memory, waited for.")
      .def(
          "as_tensor",
          [](const GpuTensorList& l) {
            const nb::gil_scoped_release released;
            return GpuTensor{side_by_side(l.list).as_tensor()};
          },
          "The batch as one tensor with a leading batch axis: sharing memory where the samples lie side by side, else "
          "a "
          "copy, which is not waited for. RuntimeError when shapes differ.")
      .def(
          "shape", [](const GpuTensorList& l) { return shapes_of(l.list); },
          "Extents of each sample: a list of tuples.")
      .def(
          "ndim", [](const GpuTensorList& l) { return l.list.ndim(); }, "Number of axes of a sample.")
      .def(
          "is_dense_tensor", [](const GpuTensorList& l) { return l.list.uniform() && l.list.contiguous(); },
          "Whether all samples have one shape and lie in one block.")
      .def(
          "layout", [](const GpuTensorList& l) { return l.list.layout().str(); },
          "Axis letters of a sample, such as \"HWC\"; empty when there are none.")
      .def(
          "device_id", [](const GpuTensorList& l) { return l.list.device(); }, "Number of the GPU.")
      .def_prop_ro(
          "dtype", [](const GpuTensorList& l) { return dtype_object(l.list.dtype()); }, "A DALIDataType.")
      .def(
          "head", [](const GpuTensorList& l, int64_t n) { return GpuTensorList{l.list.head(n)}; }, "n"_a,
          "The first `n` samples, sharing memory.")
      .def(
          "source_info", [](const GpuTensorList& l) { return sources_of(l.list); }, "File or key of each sample.");
}

}  // namespace

nb::object batch_object(TensorList list) {
  return list.device() == kHostMemory ? nb::cast(std::move(list)) : nb::cast(GpuTensorList{std::move(list)});
}

TensorList list_of(nb::handle batch) {
  return nb::isinstance<GpuTensorList>(batch) ? nb::cast<GpuTensorList&>(batch).list : nb::cast<TensorList>(batch);
}

void bind_gpu(nb::module_& m) {
  auto tensor = bind_gpu_tensor(m);
  auto list = bind_gpu_list(m);
  bind_gpu_members(tensor, list);
  m.def("gpu_count", &device::count, "GPUs that Penstock can use.");
  m.def("why_no_gpu", &device::why_none, "Why there is none; empty when there is one.");
  m.def("gpu_uuid", &gpu_uuid, "What tells the GPU of that number from all others.");
  m.def("gpu_name", [](int id) { return device::Device::open(id).facts().name; });
}

}  // namespace penstock::bindings
