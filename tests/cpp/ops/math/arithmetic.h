// What the tests of `arithmetic` have in common.
#pragma once

#include "../run_op.h"
#include "core/convert.h"
#include "core/dispatch.h"

namespace penstock {
void register_arithmetic(Registry&);
}  // namespace penstock

namespace penstock::test {

using Strings = std::vector<std::string>;

inline const OpSchema& arithmetic() {
  static const Registry all = test::registry_of({register_arithmetic});
  return all.at("arithmetic");
}

inline HostTensor result(Args args, std::vector<HostTensor> in) {
  const int n = static_cast<int>(in.size());
  return RunOp(arithmetic(), std::move(args), {}, 1, n)(std::move(in))[0];
}

template <class E>
std::string refusal(Args args, std::vector<HostTensor> in) {
  return message_of<E>([&] { result(std::move(args), std::move(in)); });
}

template <class T>
HostTensor list(const std::vector<T>& values) {
  return HostTensor(Shape{static_cast<int64_t>(values.size())}, {}, values);
}

inline const std::vector<DType>& all_types() {
  static const std::vector<DType> types = {DType::kUInt8,   DType::kUInt16, DType::kUInt32,  DType::kUInt64,
                                           DType::kInt8,    DType::kInt16,  DType::kInt32,   DType::kInt64,
                                           DType::kFloat16, DType::kFloat,  DType::kFloat64, DType::kBool};
  return types;
}

/// Element i as another type, by a plain C++ conversion.
template <class To>
To element(const HostTensor& t, size_t i) {
  return dispatch_all(t.desc.dtype, [&](auto tag) -> To {
    using T = typename decltype(tag)::type;
    T value{};
    std::memcpy(&value, t.bytes.data() + i * sizeof(T), sizeof(T));
    if constexpr (is_small_float<T>)
      return static_cast<To>(static_cast<float>(value));
    else
      return static_cast<To>(value);
  });
}

inline std::vector<bool> truths(const HostTensor& t) {
  EXPECT_EQ(t.desc.dtype, DType::kBool);
  std::vector<bool> list;
  for (std::byte b : t.bytes) list.push_back(b != std::byte{0});
  return list;
}

}  // namespace penstock::test
