#include "ops/decoders/jpeg_on_gpu.h"

#include <algorithm>
#include <array>
#include <vector>

#include "codec/finish.h"
#include "codec/jpeg/entry_table.h"
#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/pieces.h"
#include "codec/orientation.h"
#include "codec/past_caches.h"
#include "core/block_size.h"

namespace penstock {
namespace {

using namespace codec::jpeg;

// Bits are counted in 32 bits, and a scan that many threads share should not take long either.
constexpr size_t kMaxScanBytes = size_t{64} << 20;
static_assert(kMaxScanBytes * 8 / (ScanJob::kThreads / 2) < Walk::kMostBits / 2);  // at most so long are pieces

// To have a scan copied by the GPU takes the host 1.1 us: a smaller one is soon copied to where the others are.
constexpr size_t kLeastToStay = size_t{16} << 10;
constexpr std::array<uint8_t, 2> kEnd = {0xFF, 0xD9};

bool has_end(std::span<const uint8_t> scan) {
  return scan.size() >= kEnd.size() && std::ranges::equal(scan.last(kEnd.size()), kEnd);
}

/// How shown pixels lie in the stored picture.
void describe_pixels(const codec::Info& info, const codec::Request& request, const codec::Region& stored,
                     ScanJob& job) {
  const int o = request.adjust_orientation ? info.orientation : 1;
  job.y0 = static_cast<int>(codec::flips_rows(o) ? stored.y0 + stored.height - 1 : stored.y0);
  job.x0 = static_cast<int>(codec::flips_columns(o) ? stored.x0 + stored.width - 1 : stored.x0);
  const int down = codec::flips_rows(o) ? -1 : 1, right = codec::flips_columns(o) ? -1 : 1;
  const bool swapped = codec::swaps_axes(o);
  job.row_y = swapped ? 0 : down;
  job.row_x = swapped ? right : 0;
  job.column_y = swapped ? down : 0;
  job.column_x = swapped ? 0 : right;
  job.reverse = request.type == ImageType::kBGR;
}

}  // namespace

bool JpegOnGpu::describe_picture(std::span<const uint8_t> bytes, const codec::Info& info, const codec::Request& request,
                                 ScanJob& job) {
  if (info.format != &codec::jpeg::kEntry || request.dtype != DType::kUInt8 || request.fast_idct) return false;
  if (bytes.size() > kMaxScanBytes || request.height <= 0 || request.width <= 0 || !read_headers(bytes, headers_))
    return false;
  const Frame& frame = headers_.frame;
  if (frame.height != info.height || frame.width != info.width || frame.count != info.channels) return false;
  if (frame.count > ScanJob::kMaxPlanes || (job.channels != 1 && job.channels != 3)) return false;
  if (frame.colour == Colour::kRgb && job.channels == 1) return false;
  if (request.type == ImageType::kYCbCr) return false;
  const int orientation = request.adjust_orientation ? info.orientation : 1;
  stored_ =
      codec::to_stored({request.y0, request.x0, request.height, request.width}, info.height, info.width, orientation);
  job.planes = job.channels == 1 ? 1 : frame.count;
  job.convert = frame.colour == Colour::kYCbCr;
  describe_pixels(info, request, stored_, job);
  return true;
}

void JpegOnGpu::describe_planes(const codec::Region& stored, ScanJob& job) const {
  const Range rows{static_cast<int>(stored.y0), static_cast<int>(stored.y0 + stored.height)};
  const Range columns{static_cast<int>(stored.x0), static_cast<int>(stored.x0 + stored.width)};
  int block = 0;
  for (int c = 0; c < headers_.frame.count; ++c) {
    const Component& component = headers_.frame.components[static_cast<size_t>(c)];
    WantedPlane& wanted = job.wanted[static_cast<size_t>(c)];
    wanted.plane = plane_of(headers_.frame, c);
    const Plane& p = wanted.plane;
    wanted.rows = blocks_of(needed(rows, p.v_ratio, p.triangle_y(), p.height));
    wanted.columns = blocks_of(needed(columns, p.h_ratio, p.triangle_x(), p.width));
    wanted.first = block;
    wanted.quantisation = headers_.quantisation[static_cast<size_t>(component.quantisation)];
    for (int end = block + component.h * component.v; block < end; ++block)
      job.component_of[static_cast<size_t>(block)] = static_cast<uint8_t>(c);
    if (c >= job.planes) continue;
    wanted.blocks_before = job.wanted_blocks;
    job.wanted_blocks += wanted.blocks();
    const auto rows_down_to = static_cast<uint32_t>(mcus_of(wanted.rows, wanted.plane.block_rows).end);
    const auto row = static_cast<uint32_t>(headers_.frame.mcu_columns() * headers_.frame.mcu_blocks());
    job.needed_blocks = std::max(job.needed_blocks, rows_down_to * row);
  }
}

bool JpegOnGpu::describe(const JpegFile& file, const codec::Info& info, const codec::Request& request,
                         const JpegBatch& batch, device::Staging& staging, ScanJob& job) {
  const std::span<const uint8_t> bytes = file.bytes;
  if (!describe_picture(bytes, info, request, job)) return false;
  const Frame& frame = headers_.frame;
  describe_planes(stored_, job);
  if (!describe_tables(batch, staging, job)) return false;
  job.mcu_blocks = frame.mcu_blocks();
  job.mcu_columns = frame.mcu_columns();
  job.blocks = static_cast<uint32_t>(frame.mcus() * frame.mcu_blocks());
  const int team = ScanJob::team_for(batch.files, batch.most_team);
  const auto threads = static_cast<size_t>(ScanJob::kThreads * team);
  auto scan = bytes.subspan(headers_.scan_begin);
  if (headers_.more_follow || !has_end(scan)) scan = scan.first(end_of_scan(scan));
  // With threads to spare, and codes that fall into step soon, the longest run takes longer than all that.
  const bool worthwhile = team == 1 || frame.mcu_blocks() > frame.count;
  if (request.checkpoints && worthwhile &&
      describe_runs(survey_.places_of(bytes, headers_, *request.checkpoints), scan, threads, staging, job))
    return true;
  // A few files are soon freed by workers, and the GPU would begin later: one at 4:2:0 took 0.164 ms instead of 0.149.
  if (team == 1 && describe_stuffed({scan, file.lies_in}, staging, job)) return true;
  return describe_scan(scan, threads, staging, job);
}

bool JpegOnGpu::describe_stuffed(const JpegFile& file, device::Staging& staging, ScanJob& job) {
  // What is cut off, or goes on behind its end, is Bitstream's to judge.
  std::span<const uint8_t> scan = file.bytes;
  if (headers_.frame.segments() != 1 || !has_end(scan)) return false;
  scan = scan.first(scan.size() - kEnd.size());
  if (scan.empty() || scan.back() == 0xFF) return false;  // a fill byte
  const auto there = std::as_bytes(scan);
  if (scan.size() >= kLeastToStay && file.lies_in && file.lies_in->pinned(staging.memory().device(), there)) {
    job.pinned = there.data();
  } else {
    const device::StagingPlace copy = staging.take(scan.size());
    codec::copy_past_caches(scan, reinterpret_cast<uint8_t*>(copy.host));
    job.stuffed = reinterpret_cast<uint32_t*>(copy.device);
  }
  job.stuffed_bytes = static_cast<uint32_t>(scan.size());
  job.segment_count = job.pieces = 1;  // at least
  return true;
}

bool JpegOnGpu::describe_scan(std::span<const uint8_t> scan, size_t threads, device::Staging& staging, ScanJob& job) {
  const size_t segments = headers_.frame.segments();
  if (segments > ScanJob::kThreads / 2) return false;
  const device::StagingPlace words = staging.take(scan.size() + Bitstream::kPadding);
  if (!bits_.take(scan, segments, reinterpret_cast<uint8_t*>(words.host)) || !bits_.ended() ||
      bits_.segments() != segments)
    return false;
  job.words = reinterpret_cast<uint32_t*>(words.device);
  describe_segments(threads, staging, job);
  return true;
}

bool JpegOnGpu::describe_runs(std::span<const uint16_t> places, std::span<const uint8_t> scan, size_t threads,
                              device::Staging& staging, ScanJob& job) {
  Range rows{}, columns{};
  for (int c = 0; c < job.planes; ++c) {
    const WantedPlane& wanted = job.wanted[static_cast<size_t>(c)];
    rows = joined(rows, mcus_of(wanted.rows, wanted.plane.block_rows));
    columns = joined(columns, mcus_of(wanted.columns, wanted.plane.blocks));
  }
  if (!runs_.divide(headers_.frame, places, scan, rows, columns, threads)) return false;
  const device::StagingPlace words = staging.take(runs_.bytes());
  if (!runs_.write(reinterpret_cast<uint8_t*>(words.host))) return false;
  const auto too_long = [](const Segment& run) { return run.end - run.begin > Walk::kMostBits; };
  if (std::ranges::any_of(runs_.segments(), too_long)) return false;
  job.words = reinterpret_cast<uint32_t*>(words.device);
  job.segments = staging.put(runs_.segments());
  job.segment_count = job.pieces = static_cast<uint32_t>(runs_.segments().size());
  job.runs = true;
  return true;
}

bool JpegOnGpu::describe_tables(const JpegBatch& batch, device::Staging& staging, ScanJob& job) {
  if (batch.example) {
    CodeTables::Codes example = example_codes();
    if (choose_codes(example, job)) {
      job.codes = &batch.example->codes;
      job.entries = batch.example->entries.data();
      return true;
    }
  }
  CodeTables::Codes own;
  if (!choose_codes(own, job)) return false;
  job.codes = staging.put(std::span<const CodeTables::Codes>(&own, 1));
  return true;
}

bool JpegOnGpu::choose_codes(CodeTables::Codes& codes, ScanJob& job) const {
  const auto number = [&](const HuffmanCode& code, size_t first, Coefficients kind) {
    for (size_t i = first; i < first + CodeTables::kOfAKind; ++i) {
      if (codes[i].code.defined && codes[i].code == code) return static_cast<int>(i - first);
      if (codes[i].code.defined) continue;
      if (!codes[i].order.build(code, kind) || !EntryTable::fits(codes[i].order)) return -1;
      codes[i].code = code;
      return static_cast<int>(i - first);
    }
    return -1;
  };
  job.dc_tables = job.ac_tables = 0;
  for (int block = 0; block < headers_.frame.mcu_blocks(); ++block) {
    const Component& c = headers_.frame.components[job.component_of[static_cast<size_t>(block)]];
    const int dc = number(headers_.dc[static_cast<size_t>(c.dc)], 0, Coefficients::kDc);
    const int ac = number(headers_.ac[static_cast<size_t>(c.ac)], CodeTables::kOfAKind, Coefficients::kAc);
    if (dc < 0 || ac < 0) return false;
    job.dc_tables |= static_cast<uint32_t>(dc) << block;
    job.ac_tables |= static_cast<uint32_t>(ac) << block;
  }
  return true;
}

void JpegOnGpu::describe_segments(size_t threads, device::Staging& staging, ScanJob& job) {
  const size_t count = bits_.segments();
  const auto* begin = bits_.segment(0).data();
  const auto last = bits_.segment(count - 1);
  const auto bits = static_cast<uint32_t>((last.data() + last.size() - begin) * 8);
  job.piece_bits = ScanJob::piece_bits_of(bits, static_cast<uint32_t>(count), static_cast<uint32_t>(threads));
  const Frame& frame = headers_.frame;
  const auto interval = static_cast<uint32_t>(frame.restart_interval * frame.mcu_blocks());
  segments_.resize(count);
  uint32_t block = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto bytes = bits_.segment(i);
    const auto at = static_cast<uint32_t>(bytes.data() - begin) * 8;
    const uint32_t blocks = interval > 0 ? std::min(interval, job.blocks - block) : job.blocks;
    segments_[i] = {.begin = at,
                    .end = at + static_cast<uint32_t>(bytes.size() * 8),
                    .first_piece = job.pieces,
                    .first_block = block,
                    .blocks = blocks};
    job.pieces += ScanJob::pieces_of(static_cast<uint32_t>(bytes.size() * 8), job.piece_bits);
    block += blocks;
  }
  job.segment_count = static_cast<uint32_t>(count);
  job.segments = staging.put(std::span<const Segment>(segments_));
}

namespace {

/// Where parts of a job's scratch begin, behind the DC values, and all that it takes.
struct Scratch {
  size_t coefficients, segment, words, stuffed, samples, bytes;

  explicit Scratch(const ScanJob& job) {
    size_t end = 0;
    const auto behind = [&](size_t part) { return end += rounded_up(part, kBlockAlign); };
    coefficients = behind(size_t{job.blocks} * sizeof(int16_t));
    segment = behind(size_t{job.wanted_blocks} * 64 * sizeof(int16_t));
    words = behind(job.stuffed_bytes ? sizeof(Segment) : 0);
    stuffed = behind(job.stuffed_bytes ? job.stuffed_bytes + Bitstream::kPadding : 0);
    samples = behind(job.pinned ? job.stuffed_bytes : 0);
    bytes = behind(job.direct() ? 0 : size_t{job.wanted_blocks} * 64);
  }
};

/// Has a scan that the host has left where it is copied.
void copy_pinned(ScanJob& job, std::byte* to, std::vector<device::CopyJob>& copies) {
  job.stuffed = reinterpret_cast<uint32_t*>(to);
  device::Pinnable::for_each_part({job.pinned, job.stuffed_bytes}, [&](const auto part) {
    copies.push_back({.from = part.data(), .to = to, .bytes = part.size()});
    to += part.size();
  });
}

}  // namespace

size_t jpeg_scratch(const ScanJob& job) { return job.pieces == 0 ? 0 : Scratch(job).bytes; }

void connect_jpeg(ScanJob& job, const device::GpuForm::Places& places) {
  job.out = reinterpret_cast<uint8_t*>(places.out);
  job.refused = places.refused;
  if (job.engine_failed && *job.engine_failed) *places.refused = 1;
  if (job.pieces == 0) return;
  const Scratch at(job);
  job.dc = reinterpret_cast<int16_t*>(places.scratch);
  job.coefficients = reinterpret_cast<int16_t*>(places.scratch + at.coefficients);
  if (job.stuffed_bytes) {
    job.segments = job.counted = reinterpret_cast<Segment*>(places.scratch + at.segment);
    job.words = reinterpret_cast<uint32_t*>(places.scratch + at.words);
  }
  if (job.pinned) copy_pinned(job, places.scratch + at.stuffed, *places.copies);
  if (!job.direct()) job.samples = reinterpret_cast<uint8_t*>(places.scratch + at.samples);
}

void launch_jpeg(const device::Launch& l) {
  const std::span described(reinterpret_cast<const ScanJob*>(l.described), static_cast<size_t>(l.count));
  l.start(kernels::kDecodeJpeg, ScanWork(described));
}

}  // namespace penstock
