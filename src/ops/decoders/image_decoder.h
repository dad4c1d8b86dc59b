// What the image decoders share: arguments, the decoder that each worker keeps, windows of the picture.
#pragma once

#include <memory>
#include <string>

#include "codec/codec.h"
#include "codec/jpeg/checkpoints.h"
#include "device/gpu_form.h"
#include "ops/decoders/example_tables.h"
#include "ops/decoders/jpeg_on_gpu.h"
#include "ops/geometry/moves_pixels.h"
#include "schema/schema.h"

namespace penstock {

struct DecoderArgs {
  ImageType output_type = ImageType::kRGB;
  DType dtype = DType::kUInt8;
  bool adjust_orientation = true;
  bool use_fast_idct = false;
  int checkpoints = 0;  // MB
  std::string checkpoint_file;
  std::string rules = "dali";
  std::string decoder = "auto";
  float hw_decoder_load = 0;
  std::string frames = "first";
};

struct DecoderState {
  codec::Decoder decoder;
  JpegOnGpu for_gpu;
  codec::Info info;    ///< of the sample between infer and run
  PlaneRegion window;  ///< of the picture, in pixels as shown
};

/// @throws ArgumentError for others than "dali" and "pillow"
codec::Rules rules_of(const std::string& name);
/// Whether those are all of an animation. @throws ArgumentError for others than "first" and "all"
bool takes_all_frames(const std::string& frames);
/// The encoded bytes of a sample.
/// @throws TypeError when it is no flat uint8 array
std::span<const uint8_t> encoded(const Value& input);
/// Reads the header.
/// @throws DataError "Failed to decode: ..."
codec::Info peek_picture(const Value& input);
/// Type, shape and layout of the whole picture as shown.
/// @throws DataError "Failed to decode: ..." for an animation that is too large
TensorDesc whole_picture(const codec::Info& info, const DecoderArgs& args);
/// Its H and W, layout "HW": what windows are placed in.
TensorDesc picture_plane(const TensorDesc& picture);
/// What the workers of one operator share; nothing unless the arguments ask for it.
/// @throws ArgumentError where there is no limit to a file's checkpoints, or the file is none of ours
std::unique_ptr<codec::jpeg::Checkpoints> make_checkpoints(const DecoderArgs& args);
/// @throws ArgumentError for a colour space or a type that pictures are not decoded to, and for unknown decoders
void check_decoder_args(const DecoderArgs& args);
/// Fills the descriptor of output 0 with that of the picture, cut to the window.
/// @throws DataError "The cropping window ..." when the window leaves the picture
void infer_window(Sample& s, DecoderState& state, TensorDesc picture, const PlaneRegion& window);
/// Where places of the picture go, of which the window is decoded.
PixelMap window_map(const DecoderArgs& args, const DecoderState& state);
/// Decodes the part of the window that output 0 holds.
/// @throws DataError "Failed to decode: ..."
void decode_picture(Sample& s, const DecoderArgs& args, DecoderState& state, codec::jpeg::Checkpoints* checkpoints);

/// Opens what decodes on the GPU beside its processors, where that has a share of the files.
/// @throws ArgumentError where the GPU's JPEG engine is demanded and there is none
void prepare_takers(const DecoderArgs& args, device::Device& device);
/// Prepares the same for the GPU: what it cannot do, or has refused, is decoded here.
void describe_picture(Sample& s, const DecoderArgs& args, DecoderState& state, const JpegBatch& batch,
                      codec::jpeg::Checkpoints* checkpoints, device::Staging& staging, bool refused,
                      codec::jpeg::ScanJob& job);

/// Decodes a window of the picture; where it lies is what the operators derived from this one say.
template <class A>
class WindowDecoder : public SampleOperator<A, DecoderState>, public device::GpuForm, public MovesPixels {
 public:
  void setup() override {
    check_decoder_args(this->constants());
    checkpoints_ = make_checkpoints(this->constants());
  }
  void infer(Sample& s) const override {
    DecoderState& state = this->state(s);
    state.info = peek_picture(s.in(0));
    const TensorDesc picture = whole_picture(state.info, this->args(s));
    infer_window(s, state, picture, window(s, picture_plane(picture)));
  }
  WindowDecoder() { this->traits_.makes_regions = true; }
  PixelMap pixel_map(const Sample& s) const final { return window_map(this->args(s), this->state(s)); }
  void run(Sample& s) const override { decode_picture(s, this->args(s), this->state(s), checkpoints_.get()); }

  void open_on(device::Device& device) const override {
    decode_ = device.kernel(kernels::kDecodeJpeg);
    (void)decode_.most_team(nullptr);  // a GPU that nothing was compiled for is to show before samples do
    prepare_takers(this->constants(), device);
    example_ = std::make_unique<ExampleTables>(device);
  }
  std::vector<std::string_view> kernels() const override { return {kernels::kDecodeJpeg.name}; }
  size_t job_size() const override { return sizeof(codec::jpeg::ScanJob); }
  void describe(Sample& s, device::Staging& staging, std::byte* job, bool refused) const override {
    const JpegBatch batch{.files = this->spec().batch_size,
                          .most_team = decode_.most_team(staging.memory().stream()),
                          .example = example_->on_gpu()};
    describe_picture(s, this->args(s), this->state(s), batch, checkpoints_.get(), staging, refused,
                     *new (job) codec::jpeg::ScanJob);
  }
  size_t scratch_size(const std::byte* job) const override { return jpeg_scratch(*scan_job(job)); }
  void connect(std::byte* job, const Places& places) const override {
    connect_jpeg(*reinterpret_cast<codec::jpeg::ScanJob*>(job), places);
  }
  bool may_refuse(const std::byte* job) const override {
    return !job || scan_job(job)->pieces > 0 || scan_job(job)->engine_failed;
  }
  void launch(const device::Launch& launch) const override { launch_jpeg(launch); }

 protected:
  /// @param picture extents of the picture, layout "HW"
  virtual PlaneRegion window(const Sample& s, const TensorDesc& picture) const = 0;

 private:
  static const codec::jpeg::ScanJob* scan_job(const std::byte* job) {
    return reinterpret_cast<const codec::jpeg::ScanJob*>(job);
  }

  std::unique_ptr<codec::jpeg::Checkpoints> checkpoints_;
  // There before any sample is described.
  mutable device::FoundKernel<codec::jpeg::ScanJob, codec::jpeg::ScanWork> decode_;
  mutable std::unique_ptr<const ExampleTables> example_;
};

/// Describes what all decoders have in common: devices, input, output and the arguments of DecoderArgs.
template <class B>
B& describe_decoder(B& builder) {
  constexpr const char* kMemory = "Memory is taken from pools that fit themselves to the pictures.";
  return builder.devices({"cpu", "mixed"})
      .input("encoded", {}, "A whole file: flat uint8 array.")
      .reads_data()
      .holds("jpeg")
      .output("images", "Pixels, layout HWC; FHWC with `frames=\"all\"`.")
      .arg("output_type", &DecoderArgs::output_type,
           "Colours: RGB, BGR, GRAY, YCbCr, or ANY_DATA for the channels that the file has.")
      .arg("dtype", &DecoderArgs::dtype,
           "Element type. The full range of the file becomes the full range of the type; 0 to 1 for floats.")
      .arg("adjust_orientation", &DecoderArgs::adjust_orientation, "Turn the picture as its EXIF data says.")
      .arg("rules", &DecoderArgs::rules,
           "Whose pixels where libraries differ: `dali`, or `pillow` for those of `Image.open(file).convert(\"RGB\")`: "
           "CMYK and associated alpha rounded as there, gray of 16 and 32 bits clipped, TIFF alone turned as its "
           "orientation says, whatever `adjust_orientation` says. `pillow` makes RGB of uint8 only.")
      .arg("frames", &DecoderArgs::frames,
           "What to take of animations (GIF, WebP): the `first` frame as a picture, layout HWC, or `all`, drawn over "
           "each "
           "other as the file says, in layout FHWC. Pictures are then animations of one frame.")
      .arg("use_fast_idct", &DecoderArgs::use_fast_idct, "JPEG on the CPU: a faster, less exact transform.")
      .arg("checkpoints", &DecoderArgs::checkpoints,
           "JPEG: MB of memory (about 4 % of the files) for places at which decoding can begin. They are taken down "
           "when a file is decoded first; windows of the same bytes are then decoded without what comes before them, "
           "to the same pixels. With `device=\"mixed\"` workers read all symbols of a file for that, once, and looking "
           "places up costs them more than it saves a fast GPU. 0: none.")
      .arg("checkpoint_file", &DecoderArgs::checkpoint_file,
           "With `checkpoints`: a file to read places of earlier runs from and to add new ones to. Processes may share "
           "it.")
      .arg("decoder", &DecoderArgs::decoder,
           "What decodes JPEG files with `device=\"mixed\"`. `cuda`: the GPU's processors. `hardware`: the JPEG engine "
           "that data center GPUs have beside them; needs nvJPEG. `cpu`: the workers. `auto`: `cuda`, which is the "
           "fastest, but for the share of `hw_decoder_load`; files of 2 KB and less are the workers'. Each leaves what "
           "it cannot do to the next, and all make "
           "the "
           "same pixels; only the engine does not notice damage inside of a file.")
      .arg("hw_decoder_load", &DecoderArgs::hw_decoder_load,
           "With `decoder=\"auto\"`: the share of JPEG files that goes to the JPEG engine, where there is one. Which "
           "files "
           "those are depends on their contents alone.")
      .ignored("hybrid_huffman_threshold", ArgType::kInt,
               "No part of a picture is decoded by the CPU and another by the GPU.")
      .ignored("device_memory_padding", ArgType::kInt, kMemory)
      .ignored("host_memory_padding", ArgType::kInt, kMemory)
      .ignored("device_memory_padding_jpeg2k", ArgType::kInt, kMemory)
      .ignored("host_memory_padding_jpeg2k", ArgType::kInt, kMemory)
      .ignored("preallocate_width_hint", ArgType::kInt, kMemory)
      .ignored("preallocate_height_hint", ArgType::kInt, kMemory)
      .ignored("affine", ArgType::kBool, "The worker pool places its threads itself.")
      .ignored("jpeg_fancy_upsampling", ArgType::kBool, "Chroma is always interpolated.")
      .ignored("split_stages", ArgType::kBool, "Without meaning in DALI, too.", kDeprecated)
      .ignored("use_chunk_allocator", ArgType::kBool, "Without meaning in DALI, too.", kDeprecated)
      .ignored("memory_stats", ArgType::kBool, "Without meaning in DALI, too.", kDeprecated);
}

}  // namespace penstock
