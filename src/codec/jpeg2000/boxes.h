// The boxes of a JP2 file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/bytes.h"

namespace penstock::codec::jpeg2000 {

/// The contents of the first box of that name, and of that beginning; what there is of it where the file is cut off,
/// and nothing where there is no such box.
inline std::span<const uint8_t> find_box(std::span<const uint8_t> boxes, std::string_view name,
                                         std::string_view beginning = {}) {
  while (boxes.size() >= 8) {
    uint64_t length = load_be32(boxes.data());
    size_t head = 8;
    if (length == 1) {  // a length of 64 bits follows
      if (boxes.size() < 16) break;
      length = uint64_t{load_be32(&boxes[8])} << 32 | load_be32(&boxes[12]);
      head = 16;
    }
    if (length == 0) length = boxes.size();  // up to the end
    if (length < head) break;
    const auto box = boxes.first(static_cast<size_t>(std::min<uint64_t>(length, boxes.size())));
    if (box.size() >= head && starts_with(boxes.subspan(4), name) && starts_with(box.subspan(head), beginning))
      return box.subspan(head);
    boxes = boxes.subspan(box.size());
  }
  return {};
}

}  // namespace penstock::codec::jpeg2000
