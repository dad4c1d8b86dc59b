#include "schema/operator.h"

#include <type_traits>

#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {

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

}  // namespace penstock
