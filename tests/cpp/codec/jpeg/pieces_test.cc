// Decoding that begins anywhere, or at places, here by one thread that plays all: what it finds are the serial
// decoder's coefficients.
#include "codec/jpeg/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/entropy.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/runs.h"
#include "codec/jpeg/survey.h"
#include "corpus.h"

namespace penstock::codec::jpeg {
namespace {

uint32_t bits_at(std::span<const uint8_t> bytes, uint32_t bit) {
  uint64_t five = 0;
  for (size_t i = 0; i < 5; ++i) five = five << 8 | bytes.data()[bit / 8 + i];  // followed by Bitstream::kPadding bytes
  return static_cast<uint32_t>(five >> (8 - bit % 8));
}

class Scan {
 public:
  explicit Scan(std::span<const uint8_t> file) : file_(file) {
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

TEST(JpegPieces, AreTheSerialDecodersCoefficients) {
  for (const Coding& coding :
       {Coding{.height = 61, .width = 83, .quality = 96}, Coding{.height = 61, .width = 83, .quality = 30},
        Coding{.height = 90, .width = 70, .factors = {{{2, 2}, {1, 1}, {1, 1}, {1, 1}}}, .quality = 90},
        Coding{.height = 50, .width = 80, .stored = Stored::kGray, .optimised = true},
        Coding{.height = 64, .width = 64, .quality = 100, .optimised = true, .noise = 1}}) {
    const std::vector<uint8_t> file = encode(coding);
    const Scan scan(file);
    const std::vector<int16_t> expected = scan.serial();
    for (const uint32_t piece : {256U, 512U, 1000U, scan.bits()}) {
      const std::vector<int16_t> found = scan.by_pieces(piece);
      // Noise hardly falls into step, and leaves more than there is room for: refused, except in one piece.
      if (found.empty() && coding.noise == 1 && piece != scan.bits()) continue;
      EXPECT_EQ(found, expected) << coding.text() << " in pieces of " << piece << " bits";
    }
  }
}

TEST(JpegPieces, WaysLeadWhereOneAfterTheOtherLeads) {
  std::mt19937 random(7);
  Ways all;
  std::array<uint32_t, 16> at{};
  std::iota(at.begin(), at.end(), 0);
  for (int step = 0; step < 50; ++step) {
    Ways next = step == 30 ? Ways::all_to(9) : Ways();
    for (uint32_t i = 0; i < Ways::kMostLeaves && step != 30; i += 1 + random() % 9) next.lead(i, random() % 16);
    all = all.then(next);
    for (uint32_t i = 0; i < 16; ++i) {
      at[i] = step == 30 ? 9 : next[at[i]];
      EXPECT_EQ(all[i], at[i]) << step;
    }
    EXPECT_EQ(all[Ways::kNowhere], step < 30 ? Ways::kNowhere : at[Ways::kNowhere]);
    EXPECT_EQ(Ways::from_bits(all.bits())[3], all[3]);
  }
}

TEST(JpegRuns, AreTheSerialDecodersCoefficients) {
  std::mt19937 random(3);
  Survey survey;
  Checkpoints checkpoints(size_t{64} << 20, {});
  const auto part = [&](int extent) {
    const int begin = static_cast<int>(random() % static_cast<unsigned>(extent));
    return Range{begin, begin + 1 + static_cast<int>(random() % static_cast<unsigned>(extent - begin))};
  };
  for (const Coding& coding :
       {Coding{.height = 161, .width = 483, .quality = 96}, Coding{.height = 61, .width = 83, .quality = 30},
        Coding{.height = 190, .width = 370, .factors = {{{2, 2}, {1, 1}, {1, 1}, {1, 1}}}, .quality = 90},
        Coding{.height = 150, .width = 480, .stored = Stored::kGray, .optimised = true},
        Coding{.height = 64, .width = 364, .quality = 100, .optimised = true, .noise = 1}, Coding{}}) {
    const std::vector<uint8_t> file = encode(coding);
    const Scan scan(file);
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const Range rows = i == 0 ? Range{0, scan.mcu_rows()} : part(scan.mcu_rows());
      const Range columns = i == 0 ? Range{0, scan.mcu_columns()} : part(scan.mcu_columns());
      const auto count = static_cast<size_t>(rows.end - rows.begin);
      std::vector<int16_t> expected = scan.serial();
      scan.clear_unwanted(rows, columns, expected);
      const auto places = survey.places_of(file, scan.headers(), checkpoints);  // from the second time on, kept ones
      for (const size_t most : {count, 2 * count, size_t{512}})
        EXPECT_EQ(scan.by_runs(places, rows, columns, most), expected) << coding.text() << " most " << most;
      EXPECT_TRUE(scan.by_runs(places, rows, columns, count - 1).empty());
    }
  }
}

TEST(JpegRuns, PlacesThatAreNoneAreRefused) {
  const std::vector<uint8_t> file = encode({.height = 100, .width = 300});
  const Scan scan(file);
  Survey survey;
  Checkpoints checkpoints(1 << 20, {});
  const auto found = survey.places_of(file, scan.headers(), checkpoints);
  const std::vector<uint16_t> places(found.begin(), found.end());
  const std::span<const uint8_t> bytes = std::span(file).subspan(scan.headers().scan_begin);
  const Range columns{0, scan.mcu_columns()};
  Range rows{0, scan.mcu_rows()};
  Runs runs;
  const auto divide = [&](std::span<const uint16_t> of) {
    return runs.divide(scan.headers().frame, of, bytes, rows, columns, 512);
  };
  ASSERT_TRUE(divide(places));
  EXPECT_FALSE(divide(std::span(places).first(places.size() - 1)));
  EXPECT_FALSE(divide({}));
  // As a sidecar might have them: never is there more memory than is written to.
  const auto expect_bounded = [&](std::span<const uint16_t> forged, int i) {
    if (!divide(forged)) return;
    EXPECT_LE(runs.bytes(), bytes.size() + Bitstream::kPadding);
    constexpr uint8_t kUntouched = 0xA5;
    std::vector<uint8_t> memory(runs.bytes() + bytes.size(), kUntouched);
    runs.write(memory.data());
    const auto beyond = std::span(memory).subspan(runs.bytes());
    EXPECT_TRUE(std::ranges::all_of(beyond, [](uint8_t byte) { return byte == kUntouched; })) << i;
  };
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint16_t> forged = places;
    for (int k = 0; k <= i % 5; ++k) forged[random() % forged.size()] = static_cast<uint16_t>(random());
    expect_bounded(forged, i);
  }
  const PlaceGrid grid(scan.headers().frame);
  rows = {0, 1};
  for (size_t i = 1; i < grid.count(); ++i)  // a byte before the place before
    if (const uint64_t bit = place_at(places, grid, i - 1).bit; bit >= 8) {
      std::vector<uint16_t> forged = places;
      forged[i * grid.words()] = static_cast<uint16_t>(bit - 8);
      forged[i * grid.words() + 1] = static_cast<uint16_t>((bit - 8) >> 16);
      expect_bounded(forged, static_cast<int>(i));
    }
}

TEST(JpegRuns, AFileThatIsCutOffHasNoPlaces) {
  std::vector<uint8_t> file = encode({.height = 100, .width = 300});
  Headers headers;
  ASSERT_TRUE(read_headers(file, headers));
  file.resize(file.size() - 200);
  Survey survey;
  Checkpoints checkpoints(1 << 20, {});
  EXPECT_TRUE(survey.places_of(file, headers, checkpoints).empty());
  EXPECT_TRUE(checkpoints.find(key_of(file)));  // it is not read twice
}

/// The codes of the standard's tables, and of one with short codes only.
std::vector<std::pair<HuffmanCode, Coefficients>> some_codes() {
  Headers headers;
  EXPECT_TRUE(read_headers(encode({.height = 16, .width = 16, .quality = 90}), headers));
  HuffmanCode few{.defined = true};
  few.counts = {1, 1, 1, 1, 1, 1, 1};
  few.symbols = {0x11, 0x00, 0xF0, 0x21, 0x02, 0x03, 0x0A};
  few.counts[9] = 7;  // nearly all bits of ten are codes
  return {{headers.dc[0], Coefficients::kDc},
          {headers.dc[1], Coefficients::kDc},
          {headers.ac[0], Coefficients::kAc},
          {headers.ac[1], Coefficients::kAc},
          {few, Coefficients::kAc}};
}

TEST(JpegPieces, TablesSayOfAllBitsWhatTheCodesSay) {
  for (const auto& [code, kind] : some_codes()) {
    CodeOrder order;
    ASSERT_TRUE(order.build(code, kind) && EntryTable::fits(order));
    const uint32_t first = 700;
    const EntryTable table(order, first);
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      const uint32_t index = table.index_of(bits << 16 | 0xABCD) - first;
      ASSERT_LT(index, EntryTable::size(order));
      const uint32_t known = EntryTable::bits_known(index, order), meant = EntryTable::bits_of(index, order);
      ASSERT_EQ(meant >> (16 - known), bits >> (16 - known));
      ASSERT_EQ(entry_of(code, order.find(meant, 1), kind).bits, entry_of(code, order.find(bits, 1), kind).bits)
          << bits;
    }
  }
}

TEST(JpegPieces, AStepIsOneSymbolOrTwo) {
  std::mt19937 generator(5);
  const auto random = [&](uint32_t below) { return static_cast<uint32_t>(generator() % below); };
  int pairs = 0;
  for (const auto& [code, kind] : some_codes()) {
    CodeOrder order;
    ASSERT_TRUE(order.build(code, kind));
    const auto entry_at = [&](uint32_t bits, Coefficients) { return entry_of(code, order.find(bits, 1), kind); };
    for (int i = 0; i < 20000; ++i) {
      const uint32_t bits = random(~0U), known = i % 2 == 0 ? 10 : 16, end = 1000;
      const Step step = step_of(entry_at, kind, (bits >> 16) & (0xFFFF << (16 - known)) & 0xFFFF, known);
      const Entry one = entry_at((bits >> 16) & (0xFFFF << (16 - known)) & 0xFFFF, kind);
      const Cursor from{.bit = end - 1 - random(40), .position = random(64), .in_mcu = random(6), .blocks = 3};
      Walk steps(from, end), symbols(from, end);
      const bool done = steps.pass(step, 6);
      bool ended = symbols.pass(one.distance(), 6);
      if (symbols.bit() != steps.bit() && !ended && !symbols.there()) {
        ended = symbols.pass(entry_at(bits << one.distance().bits() >> 16, kind).distance(), 6);
        ++pairs;
      }
      ASSERT_EQ(done, ended);
      ASSERT_EQ(Leaf(steps.cursor(), 0).state(), Leaf(symbols.cursor(), 0).state()) << bits;
      ASSERT_EQ(steps.cursor().blocks, symbols.cursor().blocks);
      ASSERT_EQ(steps.there(), steps.bit() >= end);
    }
  }
  EXPECT_GT(pairs, 10000);
}

TEST(JpegPieces, AWalkCountsFromFarBeforeItsEndToBehindIt) {
  for (const uint32_t end : {Walk::kMostBits, 0x8000'0000U, 0xFFFF'FF00U})
    for (const uint32_t before : {Walk::kMostBits, 77U, 1U}) {
      Walk walk({.bit = end - before, .position = 63, .in_mcu = 5, .blocks = 8}, end);
      EXPECT_EQ(walk.bit(), end - before);
      EXPECT_EQ((walk.low_bits() ^ walk.bit()) & 63, 0U);
      EXPECT_FALSE(walk.there());
      EXPECT_TRUE(walk.pass(Distance(27, 16), 6));
      EXPECT_EQ(walk.bit(), end - before + 27);
      EXPECT_EQ(walk.there(), before <= 27);
      EXPECT_EQ(walk.position(), 0U);
      EXPECT_EQ(walk.in_mcu, 0U);
      EXPECT_EQ(walk.blocks, 9U);
      walk.head_for(end + 20);
      EXPECT_EQ(walk.bit(), end - before + 27);
    }
}

TEST(JpegPieces, TablesRefuseCodesOfWhichTooManyAreLong) {
  HuffmanCode code{.defined = true};
  code.counts[15] = 5;  // all of 16 bits
  CodeOrder order;
  ASSERT_TRUE(order.build(code, Coefficients::kAc));
  EXPECT_FALSE(EntryTable::fits(order));
  code.counts = {0, 1, 2};
  ASSERT_TRUE(order.build(code, Coefficients::kAc));
  EXPECT_TRUE(EntryTable::fits(order) == (EntryTable::first_long(order) >= (1U << 16) - EntryTable::kLong));
}

}  // namespace
}  // namespace penstock::codec::jpeg
