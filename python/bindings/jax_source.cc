#include "jax_source.h"

// XLA's headers come with the jaxlib that the build environment has; without it Python finds no handler and says so.
#if __has_include(<xla/ffi/api/ffi.h>)

#include <cstring>

#include <xla/ffi/api/ffi.h>

#include "core/check.h"
#include "ops/generic/callback.h"

namespace penstock::bindings {
namespace {

namespace ffi = xla::ffi;

Tensor tensor_of(int32_t& number) {
  return {{}, {{DType::kInt32, Shape{}, Layout{}}, reinterpret_cast<std::byte*>(&number)}, {}};
}

void copy(const TensorList& list, const ffi::AnyBuffer& to, size_t index) {
  size_t bytes = 0;
  for (int64_t i = 0; i < list.size(); ++i) bytes += list[i].nbytes();
  PENSTOCK_CHECK(bytes == to.size_bytes(), DataError, "result {} has {} bytes, the compiled program takes {}", index,
                 bytes, to.size_bytes());
  auto* out = static_cast<std::byte*>(to.untyped_data());
  for (int64_t i = 0; i < list.size(); ++i) {
    if (list[i].nbytes()) std::memcpy(out, list[i].data, list[i].nbytes());
    out += list[i].nbytes();
  }
}

/// Calls the function of the program with that number: it is given the ticket and gives one batch for each result.
ffi::Error pull(int64_t function, ffi::Buffer<ffi::S32> ticket, ffi::RemainingRets results) {
  try {
    int32_t number = *ticket.typed_data();
    const TensorList given({tensor_of(number)});
    BatchContext batch{.iteration = number};
    batch.inputs.push_back(&given);
    (*find_callback(function))(batch);
    PENSTOCK_CHECK(batch.outputs.size() == results.size(), DataError, "there are {} results, the program takes {}",
                   batch.outputs.size(), results.size());
    for (size_t i = 0; i < results.size(); ++i) copy(batch.outputs[i], *results.get<ffi::AnyBuffer>(i).value(), i);
    return ffi::Error::Success();
  } catch (const std::exception& e) {
    return ffi::Error::Internal(e.what());
  }
}

XLA_FFI_DEFINE_HANDLER(kPull, pull,
                       ffi::Ffi::Bind().Attr<int64_t>("function").Arg<ffi::Buffer<ffi::S32>>().RemainingRets());

}  // namespace

void bind_jax_source(nb::module_& m) {
  m.def("jax_source_handler", [] { return nb::capsule(reinterpret_cast<void*>(kPull)); });
}

}  // namespace penstock::bindings

#else

namespace penstock::bindings {

void bind_jax_source(nb::module_&) {}

}  // namespace penstock::bindings

#endif
