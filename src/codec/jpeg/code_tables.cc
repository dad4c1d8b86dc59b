#include "codec/jpeg/code_tables.h"

#include <cstddef>
#include <vector>

#include "codec/jpeg/encode.h"
#include "codec/jpeg/headers.h"

namespace penstock::codec::jpeg {
namespace {

/// As libjpeg writes them.
CodeTables::Codes written_codes() {
  std::array<std::byte, 3> pixel{};
  Headers headers;
  read_headers(encode_jpeg({{.dtype = DType::kUInt8, .shape = {1, 1, 3}, .layout = "HWC"}, pixel.data()}), headers);
  CodeTables::Codes codes;
  for (size_t i = 0; i < codes.size(); ++i) {
    constexpr size_t kOfAKind = CodeTables::kOfAKind;
    codes[i].code = i < kOfAKind ? headers.dc[i] : headers.ac[i - kOfAKind];
    codes[i].order.build(codes[i].code, CodeTables::kind_of(static_cast<int>(i)));
  }
  return codes;
}

template <Use kUse>
void fill(const CodeTables::Codes& codes, CodeTables::Entries& entries) {
  for (int table = 0; table < CodeTables::kCount; ++table) {
    const OrderedCode& of = codes[static_cast<size_t>(table)];
    const auto entry_at = [&](uint32_t bits, Coefficients kind) {
      return entry_of(of.code, of.order.find(bits, 1), kind);
    };
    uint32_t* const own = &entries[static_cast<size_t>(table) * EntryTable::kSize];
    for (uint32_t i = 0; i < EntryTable::size(of.order); ++i)
      own[i] = table_entry<kUse>(entry_at, CodeTables::kind_of(table), of.order, i);
  }
}

}  // namespace

const CodeTables::Codes& example_codes() {
  static const CodeTables::Codes codes = written_codes();
  return codes;
}

std::unique_ptr<const CodeTables> make_example_tables() {
  auto tables = std::make_unique<CodeTables>();
  tables->codes = example_codes();
  fill<Use::kPass>(tables->codes, tables->entries[static_cast<size_t>(Use::kPass)]);
  fill<Use::kTake>(tables->codes, tables->entries[static_cast<size_t>(Use::kTake)]);
  return tables;
}

}  // namespace penstock::codec::jpeg
