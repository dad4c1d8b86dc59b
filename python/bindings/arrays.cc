#include "arrays.h"

#include <nanobind/stl/string.h>

#include <cstring>

#include "core/check.h"
#include "core/host_pool.h"

namespace penstock::bindings {
namespace {

using HostArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// NumPy's bfloat16 comes from an extension type that neither DLPack nor the buffer protocol knows: its bits do.
bool is_numpy_bfloat16(nb::handle object) {
  if (!nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"))) return false;
  return nb::cast<std::string>(object.attr("dtype").attr("name")) == "bfloat16";
}

bool is_host_array(nb::handle object, HostArray& array) {
  if (nb::try_cast(object, array, false)) return true;
  PyErr_Clear();  // what __dlpack__ raised for arrays that it cannot export
  return false;
}

/// What NumPy makes an array of.
HostArray as_host_array(nb::handle object) {
  HostArray array;
  const nb::object numpy = nb::module_::import_("numpy");
  nb::object made;
  try {
    made = numpy.attr("asarray")(object);
  } catch (nb::python_error& e) {
    fail<TypeError>("an object of type {} cannot be made a host array: {}", name_of_type(object),
                    nb::repr(e.value()).c_str());
  }
  PENSTOCK_CHECK(
      is_host_array(made, array), TypeError,
      "an object of type {} is not an array of numbers that Penstock has (its NumPy type is {}); convert it, "
      "as by .astype() to one in this machine's byte order",
      name_of_type(object), nb::repr(made.attr("dtype")).c_str());
  return array;
}

Tensor from_host_array(HostArray array, DType dtype) {
  const TensorView view = dense_view(array, dtype);
  const Buffer buffer{std::make_shared<HostArray>(std::move(array)), view.data, view.nbytes()};
  return {buffer, view, {}};
}

struct LetGo {
  void operator()(nb::object* held) const {
    if (!nb::is_alive()) return;  // the interpreter is gone and took the object along
    const nb::gil_scoped_acquire gil;
    delete held;
  }
};

}  // namespace

DType known_dtype(nb::dlpack::dtype dtype, nb::handle object) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(dtype.code);
  const char* kind = code == Code::UInt ? "uint" : code == Code::Int ? "int" : code == Code::Float ? "float" : "?";
  const DType known = code == Code::Bool                         ? DType::kBool
                      : code == Code::Bfloat && dtype.bits == 16 ? DType::kBFloat16
                                                                 : dtype_named(kind + std::to_string(dtype.bits));
  PENSTOCK_CHECK(known != DType::kNone && dtype.lanes == 1, TypeError,
                 "an array of type {} has elements of a type that Penstock lacks", name_of_type(object));
  return known;
}

std::string name_of_type(nb::handle object) { return nb::cast<std::string>(object.type().attr("__name__")); }

nb::dlpack::dtype to_dlpack(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto bits = static_cast<uint8_t>(size_of(dtype) * 8);
  const auto make = [bits](Code code) { return nb::dlpack::dtype{static_cast<uint8_t>(code), bits, 1}; };
  if (dtype == DType::kBool) return make(Code::Bool);
  if (dtype == DType::kBFloat16) return make(Code::Bfloat);
  if (is_floating(dtype)) return make(Code::Float);
  return make(is_signed(dtype) ? Code::Int : Code::UInt);
}

nb::object dtype_object(DType dtype) {
  return nb::module_::import_("penstock.types").attr("DALIDataType")(static_cast<int>(dtype));
}

std::shared_ptr<nb::object> hold(nb::object object) { return {new nb::object(std::move(object)), LetGo()}; }

nb::object held_by(const std::shared_ptr<void>& owner) {
  return std::get_deleter<LetGo>(owner) ? *static_cast<nb::object*>(owner.get()) : nb::none();
}

Tensor import_tensor(nb::handle object) {
  if (nb::isinstance<Tensor>(object)) return nb::cast<Tensor>(object);
  HostArray array;
  if (!is_host_array(object, array)) {  // asked first: NumPy takes 4 us to name a type
    if (is_numpy_bfloat16(object))
      return from_host_array(as_host_array(object.attr("view")("uint16")), DType::kBFloat16);
    array = as_host_array(object);
  }
  const DType dtype = known_dtype(array.dtype(), object);
  return from_host_array(std::move(array), dtype);
}

Tensor import_dense(nb::handle object) {
  try {
    return import_tensor(object);
  } catch (const DataError&) {
    return import_tensor(nb::module_::import_("numpy").attr("ascontiguousarray")(object));
  }
}

void apply_layout(TensorView& view, const std::optional<std::string>& layout) {
  if (!layout) return;
  const Layout given(*layout);
  PENSTOCK_CHECK(given.empty() || given.ndim() == view.shape.ndim(), ArgumentError,
                 "A non-empty layout must have the same number of dimensions as the data: \"{}\" has {}, the data {}",
                 *layout, given.ndim(), view.shape.ndim());
  view.layout = given;
}

nb::object numpy_view(const Tensor& tensor) {
  auto* kept = new Tensor(tensor);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  std::array<size_t, kMaxDims> shape{};
  std::copy(kept->view.shape.begin(), kept->view.shape.end(), shape.begin());
  const bool bfloat = kept->view.dtype == DType::kBFloat16;  // NumPy takes its bits only
  static std::byte nothing{};
  void* data = kept->view.data ? kept->view.data : &nothing;
  const nb::ndarray<nb::numpy> array(data, static_cast<size_t>(kept->view.shape.ndim()), shape.data(), owner, nullptr,
                                     to_dlpack(bfloat ? DType::kUInt16 : kept->view.dtype), nb::device::cpu::value);
  const nb::object numpy = nb::cast(array, nb::rv_policy::reference);
  return bfloat ? numpy.attr("view")(nb::module_::import_("ml_dtypes").attr("bfloat16")) : numpy;
}

nb::object numpy_copy(const Tensor& tensor) { return numpy_view(tensor).attr("copy")(); }

TensorList copied(const TensorList& list, size_t align) {
  const auto padded = [align](size_t bytes) { return (bytes + align - 1) / align * align; };
  const nb::gil_scoped_release released;
  const size_t each = list.size() && list.uniform() ? list[0].nbytes() : 0;
  size_t total = 0;
  for (int64_t i = 0; i < list.size(); ++i) total += list.uniform() ? each : padded(list[i].nbytes());
  const Buffer block = HostPool::process()->allocate(std::max<size_t>(1, total));
  std::byte* to = block.data;
  std::vector<Tensor> samples;
  for (int64_t i = 0; i < list.size(); ++i) {
    const size_t bytes = list[i].nbytes();
    if (bytes) std::memcpy(to, list[i].data, bytes);
    TensorView view = list[i];
    view.data = to;
    samples.push_back({block, view, std::string(list.source(i))});
    to += list.uniform() ? bytes : padded(bytes);
  }
  if (!list.size() || !list.uniform()) return TensorList(std::move(samples));
  TensorList dense(block, list.size(), list[0]);
  dense.set_sources(list.sources());
  return dense;
}

}  // namespace penstock::bindings
