// A JPEG file as the GPU decodes it: the host reads the headers and frees the scan of stuffed bytes, nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "codec/codec.h"
#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/scan_job.h"
#include "device/form.h"

namespace penstock {

/// What a worker keeps for it from file to file.
class JpegOnGpu {
 public:
  /// Fills in all of the job but where things lie; height, width and channels are there.
  /// @return false where the host is to decode the file: other formats and processes, inks, rare tables, damage
  bool describe(std::span<const uint8_t> bytes, const codec::Info& info, const codec::Request& request,
                device::Staging& staging, codec::jpeg::ScanJob& job);

 private:
  bool describe_tables(device::Staging& staging, codec::jpeg::ScanJob& job);
  void describe_segments(device::Staging& staging, codec::jpeg::ScanJob& job);

  codec::jpeg::Headers headers_;
  codec::jpeg::Bitstream bits_;
};

/// Bytes of GPU memory for coefficients and samples on the way.
size_t jpeg_scratch(const codec::jpeg::ScanJob& job);
void connect_jpeg(codec::jpeg::ScanJob& job, const device::Form::Places& places);

}  // namespace penstock
