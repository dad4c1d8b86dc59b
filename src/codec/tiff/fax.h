// Group 3 fax without marks at the ends of rows, which libtiff reads from version 4.7 on.
#pragma once

#include "codec/tiff/file.h"

namespace penstock::codec::tiff {

/// Makes libtiff read rows one after the other where they are coded each for itself and no end of a row is marked:
/// as modified Huffman codes, whose rows need not begin at bytes. Leaves all other files as they are.
void allow_missing_ends_of_rows(const File& file);

}  // namespace penstock::codec::tiff
