#include "schema/operator.h"

#include <type_traits>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {
namespace {

void set_named(const Field& field, void* args, const ArgValue& value) {
  try {
    field.set(args, value);
  } catch (Error& e) {
    e.add_context({.argument = field.name});
    throw;
  }
}

}  // namespace

bool OpSpec::given(const std::string& name) const {
  const auto constant = args.find(name);
  if (constant != args.end()) return !std::holds_alternative<std::monostate>(constant->second);
  for (const std::string& input : arg_inputs)
    if (input == name) return true;
  return false;
}

ArgValue value_from(const TensorView& tensor) {
  return dispatch_all(tensor.dtype, [&](auto tag) -> ArgValue {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    const T* data = tensor.as<T>();
    if (tensor.shape.ndim() == 0) return convert_sat<Wide>(data[0]);
    std::vector<Wide> list(static_cast<size_t>(tensor.shape.volume()));
    for (size_t i = 0; i < list.size(); ++i) list[i] = convert_sat<Wide>(data[i]);
    return list;
  });
}

Given::Given(std::span<const Field> fields, OpSpec spec, void* args) : spec_(std::move(spec)) {
  for (const Field& field : fields) {
    const auto given = spec_.args.find(field.name);
    if (given != spec_.args.end() && !std::holds_alternative<std::monostate>(given->second))
      set_named(field, args, given->second);
  }
  for (const std::string& name : spec_.arg_inputs)
    for (const Field& field : fields)
      if (field.name == name) per_sample_.push_back(field);
}

void Given::set_per_sample(size_t i, const TensorView& tensor, void* args) const {
  set_named(per_sample_[i], args, value_from(tensor));
}

}  // namespace penstock
