#include <fmt/format.h>

#include "jpeg/corpus.h"
#include "modes.h"

namespace penstock::codec {

std::vector<Mode> jpeg_modes() {
  using jpeg::Stored;
  std::vector<Mode> modes;
  const std::vector<std::array<int, 2>> luma{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {1, 4}, {4, 2}, {3, 1}};
  for (const auto& [name, stored] : {std::pair{"gray", Stored::kGray},
                                     {"ycbcr", Stored::kYCbCr},
                                     {"rgb", Stored::kRgb},
                                     {"cmyk", Stored::kCmyk},
                                     {"ycck", Stored::kYcck}})
    for (const auto& factors : luma)
      for (const auto& [kind, coding] : {std::pair{"", jpeg::Coding{}},
                                         {"_progressive", jpeg::Coding{.progressive = true}},
                                         {"_arithmetic", jpeg::Coding{.arithmetic = true}},
                                         {"_scans", jpeg::Coding{.one_scan_each = true}}}) {
        const bool inks = stored == Stored::kYcck || stored == Stored::kCmyk;
        if (stored == Stored::kGray && factors != luma[0]) continue;
        if (inks && factors[0] * factors[1] > 4) continue;  // more than the standard has in a scan
        jpeg::Coding made = coding;
        made.height = 71;
        made.width = 93;
        made.stored = stored;
        made.noise = .1;
        made.factors[0] = factors;
        if (inks) made.factors[3] = factors;
        modes.push_back({fmt::format("{}_{}x{}{}", name, factors[0], factors[1], kind), jpeg::encode(made)});
      }
  return modes;
}

}  // namespace penstock::codec
