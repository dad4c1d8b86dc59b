// A scan that one thread decodes as all of a GPU's do: by pieces that begin anywhere, or by runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/entropy.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/pieces.h"
#include "codec/jpeg/runs.h"

namespace penstock::codec::jpeg {

inline uint32_t bits_at(std::span<const uint8_t> bytes, uint32_t bit) {
  uint64_t five = 0;
  for (size_t i = 0; i < 5; ++i) five = five << 8 | bytes.data()[bit / 8 + i];  // followed by Bitstream::kPadding bytes
  return static_cast<uint32_t>(five >> (8 - bit % 8));
}

class PlayedScan {
 public:
  explicit PlayedScan(std::span<const uint8_t> file) : file_(file) {
    EXPECT_TRUE(read_headers(file, headers_));
    EXPECT_TRUE(bits_.take(file.subspan(headers_.scan_begin), 1));
    const Frame& frame = headers_.frame;
    for (int c = 0; c < frame.count; ++c)
      for (int i = frame.components[c].h * frame.components[c].v; i > 0; --i) component_of_.push_back(c);
    blocks_ = static_cast<size_t>(frame.mcu_rows() * frame.mcu_columns() * frame.mcu_blocks());
  }

  uint32_t bits() const { return static_cast<uint32_t>(bits_.segment(0).size() * 8); }

  int mcu_rows() const { return headers_.frame.mcu_rows(); }
  int mcu_columns() const { return headers_.frame.mcu_columns(); }
  const Headers& headers() const { return headers_; }

  /// Decodes up to `end`; writes nothing unless there is somewhere to write.
  void follow(Cursor& at, uint32_t end, int16_t* out) const { follow(bits_.segment(0), at, end, out, blocks_); }
  void follow(std::span<const uint8_t> bytes, Cursor& at, uint32_t end, int16_t* out, size_t blocks) const {
    while (at.bit < end && (out == nullptr || at.blocks < blocks)) {
      const uint32_t bits = bits_at(bytes, at.bit);
      const Component& c = headers_.frame.components[static_cast<size_t>(component_of_[at.in_mcu])];
      const bool dc = at.position == 0;
      const HuffmanCode& code = dc ? headers_.dc[static_cast<size_t>(c.dc)] : headers_.ac[static_cast<size_t>(c.ac)];
      CodeOrder order;
      EXPECT_TRUE(order.build(code, dc ? Coefficients::kDc : Coefficients::kAc));
      const uint32_t index = EntryTable(order, 0).index_of(bits);
      EXPECT_LT(index, EntryTable::size(order));
      const auto entry_at = [&](uint32_t sixteen_bits, Coefficients kind) {
        return entry_of(code, order.find(sixteen_bits, 1), kind);
      };
      const auto kind = dc ? Coefficients::kDc : Coefficients::kAc;
      const uint32_t known = EntryTable::bits_of(index, order);
      const auto mcu_blocks = static_cast<uint32_t>(headers_.frame.mcu_blocks());
      Walk walk(at, end);
      if (out == nullptr) {
        const Step step = step_of(entry_at, kind, known, EntryTable::bits_known(index, order));
        walk.pass(step, mcu_blocks);
      } else {
        const Entry entry = entry_at(known, kind);
        if (dc || entry.size() > 0)
          out[at.blocks * 64 + kNaturalOrder[dc ? 0 : walk.position_behind(entry.distance()) - 1]] =
              static_cast<int16_t>(value_of(bits << entry.code(), entry.size()));
        walk.pass(entry.distance(), mcu_blocks);
      }
      at = walk.cursor();
    }
  }

  struct Node {
    uint32_t leaf = 0, blocks = 0, to = Ways::kNowhere;
  };
  using Nodes = std::vector<std::vector<Node>>;  // of each piece

  /// Goes on from where piece `i` was left, until somebody was there in the same state.
  void go_on(uint32_t i, Cursor at, uint32_t piece_bits, Nodes& nodes) const {
    for (size_t from = 0; ++i < nodes.size();) {
      const uint32_t end = std::min((i + 1) * piece_bits, bits());
      at.blocks = 0;
      follow(at, end, nullptr);
      const uint32_t leaf = Leaf(at, end).state();
      const auto found = std::ranges::find(nodes[i], leaf, &Node::leaf);
      const auto to = static_cast<size_t>(found - nodes[i].begin());
      const bool known = found != nodes[i].end();
      if (!known) nodes[i].push_back({leaf});
      nodes[i - 1][from].blocks = at.blocks;
      nodes[i - 1][from].to = static_cast<uint32_t>(to);
      if (known) return;
      from = to;
    }
  }

  /// Nothing where more leaves of a piece are seen than there is room for.
  std::vector<int16_t> by_pieces(uint32_t piece_bits) const {
    const uint32_t pieces = (bits() + piece_bits - 1) / piece_bits;
    const auto end_of = [&](uint32_t piece) { return std::min((piece + 1) * piece_bits, bits()); };
    Nodes nodes(pieces);
    std::vector<Cursor> at(pieces);
    for (uint32_t i = 0; i < pieces; ++i) {
      at[i].bit = i * piece_bits;
      follow(at[i], end_of(i), nullptr);
      nodes[i].push_back({Leaf(at[i], end_of(i)).state()});
    }
    const uint32_t first_blocks = at[0].blocks;
    for (uint32_t i = 0; i < pieces; ++i) go_on(i, at[i], piece_bits, nodes);
    if (std::ranges::any_of(nodes, [](const auto& of) { return of.size() > Ways::kMostLeaves; })) return {};
    std::vector<int16_t> out(blocks_ * 64);
    Ways way = Ways::all_to(0);  // to the leaves of the piece before
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
      const Node before = i > 0 ? nodes[i - 1].at(way[5]) : Node{.blocks = first_blocks};
      Cursor from = i > 0 ? Leaf(before.leaf).after(end_of(i - 1)) : Cursor{};
      from.blocks = blocks;
      follow(from, end_of(i), out.data());
      blocks += before.blocks;
      if (i > 0) way = way.then(ways_from(nodes[i - 1]));
    }
    EXPECT_GE(blocks, blocks_);
    sum_dc(out);
    return out;
  }

  static Ways ways_from(const std::vector<Node>& nodes) {
    Ways ways;
    for (uint32_t i = 0; i < nodes.size(); ++i) ways.lead(i, nodes[i].to);
    return ways;
  }

  /// The wanted MCUs' coefficients, all others 0; nothing where there are no runs.
  std::vector<int16_t> by_runs(std::span<const uint16_t> places, Range rows, Range columns, size_t most) const {
    Runs runs;
    if (!runs.divide(headers_.frame, places, file_.subspan(headers_.scan_begin), rows, columns, most)) return {};
    EXPECT_LE(runs.segments().size(), most);
    std::vector<uint8_t> memory(runs.bytes());
    EXPECT_TRUE(runs.write(memory.data()));
    std::vector<int16_t> out(blocks_ * 64);
    for (const Segment& run : runs.segments()) {
      Cursor at{.bit = run.begin};
      const size_t begin = run.first_block, end = begin + run.blocks;
      follow(memory, at, run.end, &out[begin * 64], run.blocks);
      EXPECT_EQ(at.blocks, run.blocks);
      EXPECT_LE(at.bit, run.end);
      std::array<int, 4> sums{run.dc[0], run.dc[1], run.dc[2], run.dc[3]};
      for (size_t i = begin; i < end; ++i) {
        int& sum = sums[static_cast<size_t>(component_of_[i % component_of_.size()])];
        out[i * 64] = static_cast<int16_t>(sum += out[i * 64]);
      }
    }
    clear_unwanted(rows, columns, out);
    return out;
  }

  void clear_unwanted(Range rows, Range columns, std::vector<int16_t>& values) const {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto mcu = static_cast<int>(i / 64 / component_of_.size());
      if (!rows.contains(mcu / mcu_columns()) || !columns.contains(mcu % mcu_columns())) values[i] = 0;
    }
  }

  std::vector<int16_t> serial() const {
    std::vector<int16_t> out(blocks_ * 64 + EntropyDecoder::kSpill);
    EntropyDecoder decoder;
    EXPECT_TRUE(decoder.prepare(headers_) && decoder.start(bits_));
    EXPECT_TRUE(decoder.read(static_cast<int64_t>(blocks_ / component_of_.size()), out.data()));
    out.resize(blocks_ * 64);
    return out;
  }

 private:
  void sum_dc(std::vector<int16_t>& values) const {
    std::array<int, kMaxComponents> sums{};
    for (size_t i = 0; i < blocks_; ++i) {
      int& sum = sums[static_cast<size_t>(component_of_[i % component_of_.size()])];
      sum += values[i * 64];
      values[i * 64] = static_cast<int16_t>(sum);
    }
  }

  std::span<const uint8_t> file_;
  Headers headers_;
  Bitstream bits_;
  std::vector<int> component_of_;
  size_t blocks_ = 0;
};

}  // namespace penstock::codec::jpeg
