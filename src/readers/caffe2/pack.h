// Makes Caffe2 databases, which readers.caffe2 (of DALI, too) reads.
#pragma once

#include <cstdint>
#include <string>

#include "readers/caffe2/idx.h"
#include "readers/file/file_list.h"

namespace penstock {

/// Packs files, as they are, with their labels into a new database in the folder `directory`, in the order of the list.
/// Returns the number of records.
/// @throws DataError that names the file for one that cannot be read or is empty; then no database is left behind
int64_t pack_files(const FileList& files, const std::string& directory);

/// Packs gray images (count, height, width) with their labels (count), each image as a JPEG file.
/// @throws DataError when the arrays do not belong together
int64_t pack_idx(const IdxArray& images, const IdxArray& labels, const std::string& directory, int quality = 95);

}  // namespace penstock
