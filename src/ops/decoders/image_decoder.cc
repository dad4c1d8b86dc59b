#include "ops/decoders/image_decoder.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "ops/decoders/decoder_choice.h"
#include "ops/geometry/homography.h"

namespace penstock {
namespace {

/// Of arguments that were checked: a sample's request costs no more than comparing lengths of their texts.
codec::Request request_of(const DecoderArgs& args) {
  return {.type = args.output_type,
          .dtype = args.dtype,
          .rules = args.rules == "pillow" ? codec::Rules::kPillow : codec::Rules::kDali,
          .adjust_orientation = args.adjust_orientation,
          .fast_idct = args.use_fast_idct,
          .all_frames = args.frames == "all"};
}

/// For the part of the window that output 0 holds.
codec::Request request_for(Sample& s, const DecoderArgs& args, const DecoderState& state) {
  const PlaneRegion part = s.out(0).plane();
  codec::Request request = request_of(args);
  request.y0 = state.window.y0 + part.y0;
  request.x0 = state.window.x0 + part.x0;
  request.height = part.height();
  request.width = part.width();
  return request;
}

/// Says of errors in the file, and only of those, that decoding failed.
template <class Fn>
auto decoding(Fn&& fn) {
  try {
    return fn();
  } catch (const DataError& e) {
    fail<DataError>("Failed to decode: {}", e.message());
  }
}

}  // namespace

codec::Rules rules_of(const std::string& name) {
  PENSTOCK_CHECK(name == "dali" || name == "pillow", ArgumentError, "unknown rules \"{}\"; use \"dali\" or \"pillow\"",
                 name);
  return name == "pillow" ? codec::Rules::kPillow : codec::Rules::kDali;
}

bool takes_all_frames(const std::string& frames) {
  PENSTOCK_CHECK(frames == "first" || frames == "all", ArgumentError, "unknown frames \"{}\"; use \"first\" or \"all\"",
                 frames);
  return frames == "all";
}

std::span<const uint8_t> encoded(const Value& input) {
  PENSTOCK_CHECK(input.tensor.dtype == DType::kUInt8 && input.tensor.shape.ndim() == 1, TypeError,
                 "The input must be a raw, undecoded file stored as a flat uint8 array, got {} of shape {}",
                 name_of(input.tensor.dtype), to_string(input.tensor.shape));
  return {input.tensor.as<uint8_t>(), static_cast<size_t>(input.tensor.shape.volume())};
}

codec::Info peek_picture(const Value& input) {
  const std::span<const uint8_t> bytes = encoded(input);
  return decoding([&] { return codec::peek(bytes); });
}

TensorDesc whole_picture(const codec::Info& info, const DecoderArgs& args) {
  return decoding([&] { return codec::describe(info, request_of(args)); });
}

TensorDesc picture_plane(const TensorDesc& picture) {
  const Layout& layout = picture.layout;
  return {.dtype = picture.dtype,
          .shape = {picture.shape[layout.find('H')], picture.shape[layout.find('W')]},
          .layout = "HW"};
}

void check_decoder_args(const DecoderArgs& args) {
  PENSTOCK_CHECK(args.output_type >= ImageType::kRGB && args.output_type <= ImageType::kAnyData, ArgumentError,
                 "unknown output_type {}; use RGB, BGR, GRAY, YCbCr or ANY_DATA", static_cast<int>(args.output_type));
  static constexpr std::array kTypes = {DType::kUInt8,  DType::kInt8,  DType::kUInt16, DType::kInt16,
                                        DType::kUInt32, DType::kInt32, DType::kFloat};
  PENSTOCK_CHECK(std::ranges::find(kTypes, args.dtype) != kTypes.end(), ArgumentError,
                 "Unsupported output type: {}; pictures are decoded to uint8, int8, uint16, int16, uint32, int32 or "
                 "float",
                 name_of(args.dtype));
  PENSTOCK_CHECK(rules_of(args.rules) == codec::Rules::kDali ||
                     (args.output_type == ImageType::kRGB && args.dtype == DType::kUInt8),
                 ArgumentError, "rules=\"pillow\" makes output_type RGB of dtype UINT8, nothing else");
  (void)takes_all_frames(args.frames);
  check_taker_args(args.decoder, args.hw_decoder_load);
}

void prepare_takers(const DecoderArgs& args, device::Device& device) {
  const bool demanded = args.decoder == "hardware";
  if (!demanded && (args.decoder != "auto" || args.hw_decoder_load == 0)) return;
  const std::string& why = device.jpeg_engine().why_none();
  PENSTOCK_CHECK(why.empty() || !demanded, ArgumentError,
                 "decoder=\"hardware\" needs the JPEG engine of GPU {}: {}; use \"auto\", which does without",
                 device.id(), why);
}

std::unique_ptr<codec::jpeg::Checkpoints> make_checkpoints(const DecoderArgs& args) {
  PENSTOCK_CHECK(args.checkpoints >= 0, ArgumentError, "checkpoints must be 0 or more MB of memory, got {}",
                 args.checkpoints);
  PENSTOCK_CHECK(args.checkpoints > 0 || args.checkpoint_file.empty(), ArgumentError,
                 "checkpoint_file needs memory for its checkpoints: give checkpoints=MB, too");
  if (args.checkpoints == 0) return nullptr;
  return std::make_unique<codec::jpeg::Checkpoints>(static_cast<size_t>(args.checkpoints) << 20, args.checkpoint_file);
}

void infer_window(Sample& s, DecoderState& state, TensorDesc picture, const PlaneRegion& window) {
  const int rows = picture.layout.find('H'), columns = picture.layout.find('W');
  const int64_t height = picture.shape[rows], width = picture.shape[columns];
  PENSTOCK_CHECK(window.y0 >= 0 && window.x0 >= 0 && window.y0 <= window.y1 && window.x0 <= window.x1 &&
                     window.y1 <= height && window.x1 <= width,
                 DataError,
                 "The cropping window [{}..{}, {}..{}] is not valid for image dimensions [{} x {}]; it must lie inside",
                 window.y0, window.y1, window.x0, window.x1, height, width);
  state.window = window;
  picture.shape[rows] = window.height();
  picture.shape[columns] = window.width();
  s.out(0).describe(picture);
}

PixelMap window_map(const DecoderArgs& args, const DecoderState& state) {
  const PlaneRegion& window = state.window;
  PixelMap map = pixels_of(picture_plane(whole_picture(state.info, args)));
  map.out = {static_cast<double>(window.width()), static_cast<double>(window.height())};
  map.to_output[0][3] = -static_cast<double>(window.x0);
  map.to_output[1][3] = -static_cast<double>(window.y0);
  return map;
}

void decode_picture(Sample& s, const DecoderArgs& args, DecoderState& state, codec::jpeg::Checkpoints* checkpoints) {
  codec::Request request = request_for(s, args, state);
  request.checkpoints = checkpoints;
  decoding([&] { state.decoder.decode(encoded(s.in(0)), state.info, request, s.out(0).tensor.data); });
}

void describe_picture(Sample& s, const DecoderArgs& args, DecoderState& state, const JpegBatch& batch,
                      codec::jpeg::Checkpoints* checkpoints, device::Staging& staging, bool refused,
                      codec::jpeg::ScanJob& job) {
  codec::Request request = request_for(s, args, state);
  request.checkpoints = checkpoints;
  const TensorDesc result = cut(s.out(0).tensor, s.out(0).held);
  const int of_frame = args.frames == "all" ? 1 : 0;  // the first dimension, whose rows follow each other
  job.height = static_cast<int>(result.shape[of_frame] * (of_frame ? result.shape[0] : 1));
  job.width = static_cast<int>(result.shape[of_frame + 1]);
  job.channels = static_cast<int>(result.shape[of_frame + 2]) * static_cast<int>(size_of(result.dtype));
  if (result.shape.volume() == 0) return;
  const auto file = encoded(s.in(0));
  const DecoderChoice choice =
      refused ? DecoderChoice::kWorker : choose_decoder(file, args.decoder, args.hw_decoder_load);
  if (choice == DecoderChoice::kEngine && state.for_gpu.describe_for_engine(file, state.info, request, staging, job))
    return;
  if (choice != DecoderChoice::kWorker &&
      state.for_gpu.describe({file, s.in(0).lies_in}, state.info, request, batch, staging, job))
    return;
  const device::StagingPlace pixels = staging.take(result.nbytes());
  job.pixels = reinterpret_cast<const uint8_t*>(pixels.device);
  decoding([&] { state.decoder.decode(file, state.info, request, pixels.host); });
}

}  // namespace penstock
