#include "dlpack.h"

#include <algorithm>
#include <array>

#include "arrays.h"

namespace penstock::bindings {
namespace {

// The two structs of the DLPack ABI (dlpack.h, versions before and after 1.0).
struct LegacyTensor {
  nb::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(LegacyTensor*);
  static constexpr const char* kName = "dltensor";
};

struct VersionedTensor {
  uint32_t major, minor;
  void* context;
  void (*deleter)(VersionedTensor*);
  uint64_t flags;
  nb::dlpack::dltensor tensor;
  static constexpr const char* kName = "dltensor_versioned";
};
constexpr uint64_t kFlagCopied = 2;

nb::dlpack::device device_of(const Buffer& buffer) {
  if (buffer.device == kHostMemory) return {nb::device::cpu::value, 0};
  return {nb::device::cuda::value, buffer.device};
}

template <class Managed>
struct Export {
  Managed managed{};
  Tensor kept;
  std::array<int64_t, kMaxDims> shape{}, strides{};
};

template <class Managed>
nb::object capsule_of(const Tensor& tensor, bool is_copy) {
  auto owned = std::make_unique<Export<Managed>>();
  owned->kept = tensor;
  const TensorView& view = owned->kept.view;
  const int ndim = view.shape.ndim();
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    owned->shape[static_cast<size_t>(i)] = view.shape[i];
    owned->strides[static_cast<size_t>(i)] = stride;
    stride *= view.shape[i];
  }
  // torch before 2.3 never calls the deleter of an empty tensor with a null pointer.
  void* data = view.data ? static_cast<void*>(view.data) : static_cast<void*>(owned.get());
  Managed& managed = owned->managed;
  managed.tensor = {.data = data,
                    .device = device_of(tensor.buffer),
                    .ndim = ndim,
                    .dtype = to_dlpack(view.dtype),
                    .shape = owned->shape.data(),
                    .strides = owned->strides.data()};
  managed.context = owned.get();
  managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->context); };
  if constexpr (std::is_same_v<Managed, VersionedTensor>) managed.major = 1, managed.flags = is_copy ? kFlagCopied : 0;
  PyObject* capsule = PyCapsule_New(&managed, Managed::kName, [](PyObject* self) {
    if (!PyCapsule_IsValid(self, Managed::kName)) return;  // a consumer adopted it
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(self, Managed::kName));
    managed->deleter(managed);
  });
  if (!capsule) nb::raise_python_error();
  owned.release();
  return nb::steal(capsule);
}

}  // namespace

nb::object make_capsule(const Tensor& tensor, std::optional<std::pair<int, int>> max_version, bool is_copy) {
  if (max_version && max_version->first >= 1) return capsule_of<VersionedTensor>(tensor, is_copy);
  return capsule_of<LegacyTensor>(tensor, is_copy);
}

nb::object to_capsule(const Tensor& tensor, nb::handle stream, std::optional<std::pair<int, int>> max_version,
                      std::optional<std::pair<int, int>> dl_device, std::optional<bool> copy) {
  // BufferError, never TypeError: consumers take TypeError for an old signature and ask again with fewer arguments.
  if (!stream.is_none() && !(nb::isinstance<nb::int_>(stream) && nb::cast<int64_t>(stream) == -1))
    throw nb::buffer_error("a tensor in host memory takes no stream");
  if (dl_device && *dl_device != std::pair(nb::device::cpu::value, 0))
    throw nb::buffer_error("this tensor is in host memory; copy it to the device with the framework");
  Tensor shared = tensor;
  if (copy.value_or(false)) shared = copied(TensorList(std::vector<Tensor>{tensor})).at(0);
  return make_capsule(shared, max_version, copy.value_or(false));
}

}  // namespace penstock::bindings
