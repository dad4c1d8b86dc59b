#include <cstring>

#include "core/check.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct GetPropertyArgs {
  std::string key;
};

class GetProperty final : public SampleOperator<GetPropertyArgs> {
 public:
  GetProperty() { traits_.shape_only = kAllInputs; }
  void setup() override {
    const std::string& key = constants().key;
    PENSTOCK_CHECK(key == "source_info" || key == "layout", ArgumentError,
                   "Unsupported property key: {}; use \"source_info\" or \"layout\"", key);
    layout_ = key == "layout";
  }
  void infer(Sample& s) const override {
    s.out(0).tensor.dtype = DType::kUInt8;
    s.out(0).tensor.shape = {static_cast<int64_t>(text(s).size())};
    s.out(0).tensor.layout = {};
  }
  void run(Sample& s) const override {
    const std::string_view letters = text(s);
    if (!letters.empty()) std::memcpy(s.out(0).tensor.data, letters.data(), letters.size());
  }

 private:
  std::string_view text(const Sample& s) const { return layout_ ? s.in(0).tensor.layout.view() : s.in(0).source; }
  bool layout_ = false;
};

}  // namespace

[[gnu::cold]] void register_get_property(Registry& r) {
  r.add<GetProperty>("get_property")
      .doc("What is known about a sample besides its data, as the bytes of a text.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("property", "A list of uint8, empty when nothing is known.")
      .arg("key", &GetPropertyArgs::key, "\"source_info\": the file or key it comes from. \"layout\": its layout.",
           kRequired)
      .example({{"key", "layout"}})
      .host_only("a text that the host alone knows");
}

}  // namespace penstock
