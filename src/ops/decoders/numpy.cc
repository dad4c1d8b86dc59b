#include <algorithm>
#include <optional>

#include "codec/npy.h"
#include "core/check.h"
#include "kernels/convert/convert.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct NumpyArgs {
  std::optional<DType> dtype;
};

class NumpyDecoder : public SampleOperator<NumpyArgs, npy::Header> {
 public:
  void infer(Sample& s) const override {
    const TensorView& file = s.in(0).tensor;
    PENSTOCK_CHECK(file.dtype == DType::kUInt8 && file.shape.ndim() == 1, ArgumentError,
                   "the input must be the bytes of a NumPy file: uint8 of one dimension, got {} of {}",
                   name_of(file.dtype), to_string(file.shape));
    const std::string_view bytes(reinterpret_cast<const char*>(file.data), file.nbytes());
    state(s) = npy::parse_header(bytes, bytes.size());
    const uint64_t wanted = static_cast<uint64_t>(state(s).shape.volume()) * size_of(state(s).dtype);
    PENSTOCK_CHECK(
        bytes.size() - state(s).data == wanted, DataError,
        "Expected data numpy size is {} bytes, of an array of shape {}, but {} follow the header: the file is "
        "damaged or holds several arrays, of which this decoder takes one",
        wanted, to_string(state(s).shape), bytes.size() - state(s).data);
    s.out(0).tensor = {{args(s).dtype.value_or(state(s).dtype), state(s).shape, {}}};
    s.out(0).source = s.in(0).source;
  }

  void run(Sample& s) const override {
    const npy::Header& header = state(s);
    const TensorView& out = s.out(0).tensor;
    const size_t size = size_of(header.dtype);
    const int64_t count = header.shape.volume();
    const std::byte* elements = s.in(0).tensor.data + header.data;
    const bool converts = out.dtype != header.dtype;
    // Behind a header elements may lie at any address, which the conversion does not take.
    std::byte* dense = converts ? s.scratch(static_cast<size_t>(count) * size) : out.data;
    if (header.fortran)
      npy::copy_block(header.shape, size, dense, npy::dense_strides(header.shape, size, false), elements,
                      npy::dense_strides(header.shape, size, true));
    else if (count > 0)
      std::copy_n(elements, static_cast<size_t>(count) * size, dense);
    if (converts) kernels::convert(header.dtype, dense, out.dtype, out.data, count);
  }
};

}  // namespace

[[gnu::cold]] void register_numpy_decoder(Registry& r) {
  r.add<NumpyDecoder>("decoders.numpy")
      .doc("Decodes NumPy's files of one array (.npy). Arrays in Fortran order come in C order.")
      .input("encoded", {}, "The bytes of the file: uint8, one dimension.")
      .reads_data()
      .holds("npy")
      .output("array", "The array in its shape and, without `dtype`, in its type.")
      .arg("dtype", &NumpyArgs::dtype, "Type that the elements are converted to.")
      .differs(
          "Files may differ in type and rank from batch to batch, which DALI refuses without `dtype`: a batch depends "
          "on its own files alone. Those of one batch must agree.")
      .devices({"cpu"})
      .host_only("takes files apart");
}

}  // namespace penstock
