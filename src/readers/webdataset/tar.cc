#include "readers/webdataset/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/check.h"

namespace penstock {
namespace {

struct Span {
  size_t begin, size;
};
constexpr Span kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kType{156, 1}, kMagic{257, 6}, kPrefix{345, 155};
constexpr int64_t kMaxExtra = int64_t{1} << 20;  // of a long name or pax's entries: paths have 4,096 bytes at most

std::string_view field(std::string_view block, Span span) { return block.substr(span.begin, span.size); }
std::string_view text(std::string_view block, Span span) {
  const std::string_view all = field(block, span);
  return all.substr(0, all.find('\0'));
}

/// Octal digits between blanks, or a binary number whose first bit is set.
std::optional<int64_t> number(std::string_view digits) {
  int64_t value = 0;
  if (static_cast<uint8_t>(digits[0]) & 0x80) {
    for (size_t i = 0; i < digits.size(); ++i) {
      const auto byte = static_cast<uint8_t>(i == 0 ? digits[0] & 0x7f : digits[i]);
      if (value >> 54) return {};
      value = value << 8 | byte;
    }
    return value;
  }
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  const bool ends = end == digits.data() + digits.size() || *end == ' ' || *end == '\0';
  if (digits.empty() || digits[0] == '\0') return 0;
  return error == std::errc() && ends && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The sum of all bytes, with blanks where the sum itself stands.
int64_t checksum(std::string_view block) {
  int64_t sum = 0;
  for (const char byte : block) sum += static_cast<uint8_t>(byte);
  for (const char byte : field(block, kChecksum)) sum += ' ' - static_cast<uint8_t>(byte);
  return sum;
}

/// Of compressed files that are not read: what they begin with, and the program that unpacks them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kForeign = {{{"BZh", "bunzip2"},
                                                                                    {"\xfd"
                                                                                     "7zXZ",
                                                                                     "unxz"}}};

}  // namespace

std::optional<TarHeader> parse_tar_header(std::string_view block) {
  PENSTOCK_CHECK(block.size() == kTarBlock, DataError, "the archive was cut off");
  if (std::all_of(block.begin(), block.end(), [](char byte) { return byte == 0; })) return {};
  const std::optional<int64_t> sum = number(field(block, kChecksum)), size = number(field(block, kSize));
  PENSTOCK_CHECK(sum && size && *sum == checksum(block), DataError,
                 "no header of a member: the archive is damaged, or is none");
  TarHeader header{.size = *size, .type = field(block, kType)[0]};
  // GNU's own headers, "ustar  ", have times where POSIX has the beginning of the name.
  const std::string_view prefix = field(block, kMagic) == std::string_view("ustar\0", 6) ? text(block, kPrefix) : "";
  if (!prefix.empty()) header.name.append(prefix).push_back('/');
  header.name.append(text(block, kName));
  return header;
}

PaxEntries parse_pax(std::string_view text) {
  PaxEntries entries;
  while (!text.empty() && text[0] != '\0') {  // each "length key=value\n", the length with itself
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<size_t>(end - text.data());
    const bool good = error == std::errc() && length > digits + 1 && length <= text.size() && text[digits] == ' ' &&
                      text[length - 1] == '\n';
    PENSTOCK_CHECK(good, DataError, "a pax header of the archive is damaged");
    const std::string_view entry = text.substr(digits + 1, length - digits - 2);
    const size_t equals = entry.find('=');
    PENSTOCK_CHECK(equals != std::string_view::npos, DataError, "a pax header of the archive is damaged");
    const std::string_view key = entry.substr(0, equals), value = entry.substr(equals + 1);
    if (key == "path") entries.path = value;
    if (key == "size") {
      int64_t size = -1;
      std::from_chars(value.data(), value.data() + value.size(), size);
      PENSTOCK_CHECK(size >= 0, DataError, "a pax header of the archive has the size \"{}\"", value.substr(0, 30));
      entries.size = size;
    }
    text.remove_prefix(length);
  }
  return entries;
}

TarWalk::TarWalk(const PosixFile& file) : window_(file) {
  const std::string_view head = window_.at(0, kTarBlock);
  for (const auto& [magic, program] : kForeign)
    PENSTOCK_CHECK(!head.starts_with(magic), DataError,
                   "the archive is compressed in a way that is not read; unpack it with {}, or compress it with zstd",
                   program);
  if (const Packing packing = packing_of(head); packing != Packing::kNone) unpacker_.emplace(file, packing);
}

/// Of a compressed archive, from front to back: what lies before `begin` is gone. Fewer bytes at the end.
std::string_view TarWalk::at(int64_t begin, int64_t size) {
  if (!unpacker_) return window_.at(begin, size);
  constexpr int64_t kSkipped = 1 << 16;
  const auto take = [&](int64_t bytes) {
    piece_.resize(static_cast<size_t>(bytes));
    piece_.resize(unpacker_->read(std::as_writable_bytes(std::span(piece_))));
    if (static_cast<int64_t>(piece_.size()) < bytes) unpacked_size_ = unpacker_->position();
  };
  while (unpacker_->position() < begin && unpacked_size_ > begin)
    take(std::min(kSkipped, begin - unpacker_->position()));
  take(size);
  return piece_;
}

std::string_view TarWalk::data_of(const TarHeader& header) {
  PENSTOCK_CHECK(header.size <= kMaxExtra, DataError, "a name of {} bytes: the archive is damaged", header.size);
  const std::string_view data = at(at_ + kTarBlock, header.size);
  PENSTOCK_CHECK(static_cast<int64_t>(data.size()) == header.size, DataError, "the archive was cut off");
  return data;
}

std::optional<TarMember> TarWalk::next() {
  std::optional<std::string> name;
  PaxEntries pax;
  while (true) {
    const std::string_view block = at(at_, kTarBlock);
    if (at_ >= archive_size()) {
      PENSTOCK_CHECK(at_ == archive_size(), DataError,
                     "the archive was cut off: a member ends at byte {}, of {} bytes in all", at_, archive_size());
      break;
    }
    std::optional<TarHeader> header;
    try {
      header = parse_tar_header(block);
    } catch (Error&) {
      fail<DataError>("no header of a member at byte {}{}: the archive was cut off or damaged, or is none", at_,
                      unpacker_ ? "" : fmt::format(" of {}", archive_size()));
    }
    if (!header) break;
    if (header->type == 'L') {
      const std::string_view text = data_of(*header);
      name = text.substr(0, text.find('\0'));
    } else if (header->type == 'x') {
      pax = parse_pax(data_of(*header));
    }
    const bool describes_next =
        header->type == 'L' || header->type == 'K' || header->type == 'x' || header->type == 'g';
    if (!describes_next && pax.size) header->size = *pax.size;
    const int64_t begin = at_ + kTarBlock;
    const int64_t rest = archive_size() - begin;
    const int64_t padding = (kTarBlock - header->size % kTarBlock) % kTarBlock;
    PENSTOCK_CHECK(header->size <= rest && padding <= rest - header->size, DataError,
                   "the archive was cut off: a member of {} bytes begins at byte {}, of {} bytes in all", header->size,
                   begin, archive_size());
    at_ = begin + header->size + padding;
    if (describes_next) continue;
    if (pax.path) name = std::move(pax.path);
    if (name) header->name = std::move(*name);
    if (header->is_file()) return TarMember{std::move(header->name), begin, header->size};
    name.reset();
    pax = {};
  }
  return {};
}

}  // namespace penstock
