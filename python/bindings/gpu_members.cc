#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <penstock/gpu.h>

#include "arrays.h"
#include "device/device.h"
#include "device/transfer.h"
#include "gpu.h"
#include "tensor.h"

namespace penstock::bindings {
namespace {

/// The stream that a number, a ctypes pointer, or a stream of CuPy or PyTorch stands for.
device::Stream stream_of(nb::handle given) {
  for (const char* name : {"cuda_stream", "ptr"})
    if (nb::hasattr(given, name)) return address_of(given.attr(name));
  return address_of(given);
}

void copy_to(const TensorList& list, nb::handle pointer, nb::handle cuda_stream, bool non_blocking, bool) {
  void* to = address_of(pointer);
  const bool own = cuda_stream.is_none();
  const device::Stream given = own ? nullptr : stream_of(cuda_stream);
  const nb::gil_scoped_release released;
  if (!list.size()) return;
  device::Device& gpu = device::Device::open(list.device());
  const std::shared_ptr<void> borrowed = own ? gpu.borrow_stream() : nullptr;
  const device::Stream stream = own ? borrowed.get() : given;
  device::copy_out(list, to, stream);
  if (own || !non_blocking) gpu.finish(stream);
}

constexpr const char* kCopies =
    "Copies the data, of samples one after the other, to the address `ptr` (a number or a ctypes.c_void_p) in the "
    "memory "
    "of the host or of a GPU. On `cuda_stream` (a number, or a stream of CuPy or PyTorch), and with `non_blocking` "
    "without waiting; without a stream the copy is waited for. `use_copy_kernel` has no effect.";
constexpr const char* kStream = "None: data is ordered by the streams that read it.";

void bind_tensor_members(nb::class_<GpuTensor>& tensor) {
  using namespace nb::literals;
  tensor
      .def(
          "squeeze", [](GpuTensor& t, std::optional<int> dim) { return squeeze(t.tensor, dim); }, "dim"_a = nb::none(),
          "Drops the axis `dim`, or all of them, in place where the extent is 1; True when there was one.")
      .def(
          "get_property", [](const GpuTensor& t, const std::string& key) { return property(t.tensor, key); }, "key"_a,
          "\"layout\" or \"source_info\" (`key`) as text; None where there is none.")
      .def(
          "set_layout",
          [](GpuTensor& t, const std::optional<std::string>& l) { apply_layout(t.tensor.view, l.value_or("")); },
          "layout"_a.none(),
          "Gives the axes the letters of `layout`; None takes them away. ValueError for another number.")
      .def(
          "reinterpret", [](GpuTensor& t, int dtype) { reinterpret(t.tensor, dtype); }, "dtype"_a,
          "Takes the bytes for elements of `dtype`, in place. RuntimeError where sizes differ.")
      .def(
          "copy_to_external",
          [](const GpuTensor& t, nb::handle ptr, nb::handle cuda_stream, bool non_blocking, bool kernel) {
            copy_to(TensorList(std::vector<Tensor>{t.tensor}), ptr, cuda_stream, non_blocking, kernel);
          },
          "ptr"_a, "cuda_stream"_a = nb::none(), "non_blocking"_a = false, "use_copy_kernel"_a = false, kCopies)
      .def(
          "stream", [](const GpuTensor&) { return nb::none(); }, kStream);
}

void bind_list_members(nb::class_<GpuTensorList>& list) {
  using namespace nb::literals;
  list.def_static(
          "broadcast", [](const GpuTensor& tensor, int64_t n) { return GpuTensorList{broadcast(tensor.tensor, n)}; },
          "tensor"_a, "num_samples"_a, "A batch of `num_samples` samples that all share the memory of `tensor`.")
      .def(
          "as_reshaped_tensor",
          [](const GpuTensorList& l, const std::vector<int64_t>& shape) {
            const nb::gil_scoped_release released;
            return GpuTensor{reshaped(side_by_side(l.list).as_tensor(), shape)};
          },
          "shape"_a, "The batch as one tensor of `shape`, of as many elements; RuntimeError otherwise.")
      .def(
          "set_layout",
          [](GpuTensorList& l, const std::optional<std::string>& layout) { apply_layout(l.list, layout.value_or("")); },
          "layout"_a.none(), "Gives the axes of samples the letters of `layout`; None takes them away.")
      .def(
          "reset", [](GpuTensorList& l) { l.list = TensorList(); }, "Lets go of all samples.")
      .def(
          "data_ptr", [](const GpuTensorList& l) { return address_of_first(l.list); },
          "Address of the first sample on the GPU; RuntimeError unless all lie in one block.")
      .def(
          "reinterpret", [](GpuTensorList& l, int dtype) { l.list = reinterpreted(l.list, dtype); }, "dtype"_a,
          "Takes the bytes for elements of `dtype`, in place. RuntimeError where sizes differ.")
      .def(
          "copy_to_external",
          [](const GpuTensorList& l, nb::handle ptr, nb::handle cuda_stream, bool non_blocking, bool kernel) {
            copy_to(l.list, ptr, cuda_stream, non_blocking, kernel);
          },
          "ptr"_a, "cuda_stream"_a = nb::none(), "non_blocking"_a = false, "use_copy_kernel"_a = false, kCopies)
      .def(
          "stream", [](const GpuTensorList&) { return nb::none(); }, kStream);
}

}  // namespace

void bind_gpu_members(nb::class_<GpuTensor>& tensor, nb::class_<GpuTensorList>& list) {
  bind_tensor_members(tensor);
  bind_list_members(list);
}

}  // namespace penstock::bindings
