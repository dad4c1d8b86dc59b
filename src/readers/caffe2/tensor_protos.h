// Caffe2's TensorProtos: the records of its databases.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// Element types by Caffe2's numbers; a record may hold any other number.
enum class ProtoType : int32_t { kFloat = 1, kInt32 = 2, kByte = 3, kString = 4, kInt64 = 10 };

/// One tensor of a record. Bytes are views into the record, numbers are copies.
struct TensorProto {
  std::vector<int64_t> dims;
  ProtoType type = ProtoType::kFloat;
  std::vector<float> floats;
  std::vector<int32_t> int32s;
  std::vector<int64_t> int64s;
  std::string_view bytes;
  std::vector<std::string_view> strings;
};

/// Takes a serialised record apart; packed and unpacked numbers are understood, unknown fields skipped. `protos` is
/// reused, so that nothing is allocated for records alike.
/// @throws DataError for what is no TensorProtos message
void parse_tensor_protos(std::string_view record, std::vector<TensorProto>& protos);

std::string serialise(std::span<const TensorProto> protos);

}  // namespace penstock
