// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of debayer().
struct DebayerArgs {
  /// "bilinear_ocv", for which "default_npp" stands, too; "edgeaware_ocv", which takes green from the two neighbours
  /// above and below or from those on the sides, whichever differ less; "vng_ocv", which takes all colours from those
  /// of eight directions in which 5 by 5 elements change least (Variable Number of Gradients; uint8 alone; pictures
  /// with fewer than 8 rows or columns are bilinear); or "gray_ocv", the brightness of what bilinear sees. Default:
  /// `"bilinear_ocv"`.
  Constant<std::string> algorithm = {};
  /// Row and column of blue in the tile of two by two that begins in the second row and column: (0, 0) is OpenCV's BG,
  /// (0, 1) GB, (1, 0) GR, (1, 1) RG. Required.
  Arg<Ints> blue_position = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes RGB pictures of what a sensor with a Bayer pattern saw: each missing colour is the mean of the two or four
/// nearest elements that saw it, or of those along which little changes, as OpenCV's methods have it.
/// @param input  HW, HWC, FHW or FHWC of one channel, uint8 or uint16; rows and columns are even in number.
/// @return RGB, or gray of one channel; HWC or FHWC, of the input's type.
inline Node debayer(Graph& graph, Node input, const DebayerArgs& args = {}) {
  return Call("debayer", {input}, args.common)
      .arg("algorithm", args.algorithm)
      .arg("blue_position", args.blue_position)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
