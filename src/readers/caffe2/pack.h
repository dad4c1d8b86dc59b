// Makes Caffe2 databases, which readers.caffe2 (of DALI, too) reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <penstock/tensor.h>

#include "readers/caffe2/idx.h"
#include "readers/file/file_list.h"

namespace penstock {

/// A record that readers.caffe2 reads: a picture file as it is, and its label.
std::string packed_record(std::string_view file, int32_t label);
/// The key of record `index`. @throws ArgumentError beyond 100 million
std::string packed_key(int64_t index);

/// Packs files, as they are, with their labels into a new database in the folder `directory`, in the order of the list.
/// Returns the number of records.
/// @throws DataError that names the file for one that cannot be read or is empty; then no database is left behind
int64_t pack_files(const FileList& files, const std::string& directory);

/// Packs images with their labels, each image as a JPEG file of that quality (1 to 100).
/// @param images uint8, (count, height, width) or (count, height, width, channels) of 1 (gray) or 3 (RGB) channels
/// @throws TypeError for other elements, DataError when images and labels do not belong together
int64_t pack_images(const TensorView& images, std::span<const int32_t> labels, const std::string& directory,
                    int quality = 95);

/// Packs gray images (count, height, width) with their labels (count), as pack_images does.
/// @throws DataError when the arrays do not belong together
int64_t pack_idx(const IdxArray& images, const IdxArray& labels, const std::string& directory, int quality = 95);

}  // namespace penstock
