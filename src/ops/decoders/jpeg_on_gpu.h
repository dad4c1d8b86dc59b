// A JPEG file as the GPU decodes it: the host reads the headers, and copies the scan where the GPU cannot do that
// itself; or it gives the file to the GPU's JPEG engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/codec.h"
#include "codec/engine.h"
#include "codec/jpeg/bitstream.h"
#include "codec/jpeg/headers.h"
#include "codec/jpeg/runs.h"
#include "codec/jpeg/scan_job.h"
#include "codec/jpeg/survey.h"
#include "device/gpu_form.h"
#include "device/pinnable.h"
#include "kernels/jpeg/job.h"

namespace penstock {

/// What is the same for all files of a batch.
struct JpegBatch {
  int files = 1;                                     ///< that may be decoded in the same launch
  int most_team = 1;                                 ///< thread blocks that may share a scan
  const codec::jpeg::CodeTables* example = nullptr;  ///< in the GPU's memory, see example_tables.h; null: none
};

/// A file, and the memory that it may lie in.
struct JpegFile {
  std::span<const uint8_t> bytes;
  device::Pinnable* lies_in = nullptr;
};

/// What a worker keeps for it from file to file.
class JpegOnGpu {
 public:
  /// Fills in all of the job but where things lie; height, width and channels are there.
  /// @return false where the host is to decode the file: other formats and processes, inks, rare tables, damage
  bool describe(const JpegFile& file, const codec::Info& info, const codec::Request& request, const JpegBatch& batch,
                device::Staging& staging, codec::jpeg::ScanJob& job);

  /// The same for the engine, which begins at once; the batch's outside work tells when it is done.
  /// @return false where the engine cannot have the file, and where there is no engine
  bool describe_for_engine(std::span<const uint8_t> bytes, const codec::Info& info, const codec::Request& request,
                           device::Staging& staging, codec::jpeg::ScanJob& job);

 private:
  /// Reads the headers and says how pixels are made of samples. @return false where the GPU cannot make them
  bool describe_picture(std::span<const uint8_t> bytes, const codec::Info& info, const codec::Request& request,
                        codec::jpeg::ScanJob& job);
  /// The blocks that a region of the stored picture is made of.
  void describe_planes(const codec::Region& stored, codec::jpeg::ScanJob& job) const;
  bool describe_tables(const JpegBatch& batch, device::Staging& staging, codec::jpeg::ScanJob& job);
  /// Finds the file's codes among those, which are filled up where some are not defined.
  /// @return false where there is no room for all
  bool choose_codes(codec::jpeg::CodeTables::Codes& codes, codec::jpeg::ScanJob& job) const;
  /// The scan as the file has it, to be freed of stuffed bytes by the GPU. @return false where the host is to do that
  bool describe_stuffed(const JpegFile& scan, device::Staging& staging, codec::jpeg::ScanJob& job);
  /// The scan as a whole, to be decoded from bits that may be anything's.
  bool describe_scan(std::span<const uint8_t> scan, size_t threads, device::Staging& staging,
                     codec::jpeg::ScanJob& job);
  void describe_segments(size_t threads, device::Staging& staging, codec::jpeg::ScanJob& job);
  /// The wanted part of the scan, to be decoded from places. @return false where that cannot be
  bool describe_runs(std::span<const uint16_t> places, std::span<const uint8_t> scan, size_t threads,
                     device::Staging& staging, codec::jpeg::ScanJob& job);

  codec::jpeg::Headers headers_;
  codec::Region stored_;  // the wanted region
  codec::jpeg::Bitstream bits_;
  std::vector<codec::jpeg::Segment> segments_;  // of `bits_`
  codec::jpeg::Survey survey_;
  codec::jpeg::Runs runs_;
};

/// Bytes of GPU memory for coefficients and samples on the way.
size_t jpeg_scratch(const codec::jpeg::ScanJob& job);
void connect_jpeg(codec::jpeg::ScanJob& job, const device::GpuForm::Places& places);
void launch_jpeg(const device::Launch& launch);

}  // namespace penstock
