// What all Huffman codes of a file mean, as tables for a multiprocessor's shared memory. Shared with CUDA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "codec/jpeg/entry_table.h"

namespace penstock::codec::jpeg {

/// A table of codes, and their order, which it takes long to find.
struct OrderedCode {
  HuffmanCode code;
  CodeOrder order;
};

/// The tables of four codes: two for DC, two for AC values.
struct CodeTables {
  static constexpr int kOfAKind = 2;  ///< as in baseline files
  static constexpr int kCount = 2 * kOfAKind;
  using Codes = std::array<OrderedCode, kCount>;
  using Entries = std::array<uint32_t, kCount * EntryTable::kSize>;  ///< one table after the other

  static constexpr Coefficients kind_of(int table) { return table < kOfAKind ? Coefficients::kDc : Coefficients::kAc; }

  Codes codes;
  alignas(16) std::array<Entries, 2> entries{};  ///< by Use
};

/// The codes that the standard gives as examples for luma and chroma (ITU-T T.81, K.3). Encoders take them unless they
/// are asked for the best ones.
const CodeTables::Codes& example_codes();
/// Their tables.
std::unique_ptr<const CodeTables> make_example_tables();

}  // namespace penstock::codec::jpeg
