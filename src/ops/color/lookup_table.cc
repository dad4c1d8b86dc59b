#include <algorithm>

#include "core/check.h"
#include "core/convert.h"
#include "kernels/elements/lookup.h"
#include "ops/base/elementwise.h"

namespace penstock {
namespace {

struct LookupTableArgs {
  std::vector<int64_t> keys;
  std::vector<float> values;
  float default_value = 0;
  DType dtype = DType::kFloat;
};

class LookupTable final : public ElementwiseOperator<LookupTableArgs> {
 public:
  void setup() override {
    const auto& [keys, values, fallback, dtype] = constants();
    PENSTOCK_CHECK(keys.size() == values.size(), ArgumentError,
                   "`keys` and `values` must have as many numbers, got {} and {}", keys.size(), values.size());
    for (const int64_t key : keys)
      PENSTOCK_CHECK(key >= 0 && key <= 65535, ArgumentError, "`keys` must lie in [0, 65535], got {}", key);
    const int64_t most = keys.empty() ? -1 : *std::ranges::max_element(keys);
    table_.assign(static_cast<size_t>(most + 1), fallback);
    for (size_t i = 0; i < keys.size(); ++i) table_[static_cast<size_t>(keys[i])] = values[i];
  }
  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    const std::byte* in = dense_part(s, 0, s.wanted(0));
    const int64_t count = cut(out, s.wanted(0)).shape.volume();
    dispatch_all(s.in(0).tensor.dtype, [&](auto key) {
      using Key = typename decltype(key)::type;
      if constexpr (std::is_integral_v<Key>)
        dispatch_all(out.dtype, [&](auto value) {
          using T = typename decltype(value)::type;
          const std::span<const T> table = converted<T>(s);
          const T fallback = convert_sat<T>(constants().default_value);
          const Key* keys = reinterpret_cast<const Key*>(in);
          T* to = out.as<T>();
          for (int64_t i = 0; i < count; ++i) {
            const auto place = static_cast<uint64_t>(static_cast<int64_t>(keys[i]));  // negative keys are beyond
            to[i] = place < table.size() ? table[place] : fallback;
          }
        });
    });
  }

 private:
  DType made_type(const Sample& s) const override {
    const DType dtype = s.in(0).tensor.dtype;
    PENSTOCK_CHECK(!is_floating(dtype), TypeError, "keys are integers, got {}", name_of(dtype));
    return constants().dtype;
  }
  void change(Sample&, device::Staging& staging, ElementWork& work) const override {
    const kernels::LookupTable table{.values = staging.put(std::span<const float>(table_)),
                                     .count = table_.size(),
                                     .fallback = constants().default_value};
    work.add({.step = kernels::Step::kLookup, .immediate = {ElementWork::address(staging.put(std::span(&table, 1)))}},
             DType::kFloat);
  }
  template <class T>
  std::span<const T> converted(Sample& s) const {
    T* table = s.scratch_array<T>(table_.size());
    std::ranges::transform(table_, table, [](float value) { return convert_sat<T>(value); });
    return {table, table_.size()};
  }

  std::vector<float> table_;
};

}  // namespace

[[gnu::cold]] void register_lookup_table(Registry& r) {
  r.add<LookupTable>("lookup_table")
      .doc("Replaces each element, a key, by its value in a table. Of keys that are given twice the last one counts.")
      .input("keys", {}, "Integers of any shape.")
      .holds("keys")
      .output("values", "The values, in the shape and layout of the input.")
      .arg("keys", &LookupTableArgs::keys, "Keys in [0, 65535].")
      .arg("values", &LookupTableArgs::values, "One value for each key.")
      .arg("default_value", &LookupTableArgs::default_value, "Value of all other keys.")
      .arg("dtype", &LookupTableArgs::dtype, "Type of the output.")
      .arg("output_dtype", &LookupTableArgs::dtype, "Older name of `dtype`.", kHidden)
      .example({{"keys", {1, 5, 7}}, {"values", {3, 200, 9}}});
}

}  // namespace penstock
