#include <memory>

#include "core/check.h"
#include "kernels/sound/decode.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct AudioDecoderArgs {
  float sample_rate = 0, quality = 50;
  bool downmix = false;
  DType dtype = DType::kFloat;
};

class AudioDecoder final : public SampleOperator<AudioDecoderArgs, kernels::SoundDecoding> {
 public:
  void setup() override {
    const AudioDecoderArgs& a = constants();
    kernels::check_request(request(a));
  }
  void infer(Sample& s) const override {
    const TensorView& file = s.in(0).tensor;
    PENSTOCK_CHECK(file.dtype == DType::kUInt8 && file.shape.ndim() == 1, ArgumentError,
                   "the input must be the bytes of a sound file: uint8 of one dimension, got {} of {}",
                   name_of(file.dtype), to_string(file.shape));
    const kernels::SoundRequest wanted = request(args(s));
    if (s.num_arg_inputs() > 0) kernels::check_request(wanted);
    state(s).open(codec::sound::SoundFile(std::make_unique<codec::sound::Memory>(std::span(file.data, file.nbytes()))),
                  wanted);
    s.out(0).tensor = {{wanted.dtype, state(s).shape(), {}}};
    s.out(0).source = s.in(0).source;
    s.out(1).tensor = {{DType::kFloat, {}, {}}};
    s.out(1).source = s.in(0).source;
  }
  void run(Sample& s) const override {
    const double rate = args(s).sample_rate;
    *s.out(1).tensor.as<float>() = static_cast<float>(rate > 0 ? rate : state(s).file().rate());
    state(s).decode(s, s.out(0).tensor.data);
  }

 private:
  static kernels::SoundRequest request(const AudioDecoderArgs& a) {
    return {a.sample_rate, a.quality, a.downmix, a.dtype};
  }
};

}  // namespace

[[gnu::cold]] void register_audio_decoder(Registry& r) {
  using Args = AudioDecoderArgs;
  r.add<AudioDecoder>("decoders.audio")
      .doc(
          "Decodes sound files with libsndfile: WAV, FLAC, Ogg with Vorbis or Opus, and MP3 from its version 1.1 on "
          "(`penstock doctor` tells which is there).")
      .input("encoded", {}, "The bytes of the file: uint8, one dimension.")
      .reads_data()
      .holds("sound")
      .output("samples",
              "(samples, channels), with `downmix` (samples); numbers in [-1, 1], or integers of full range.")
      .output("rate", "Float scalar: samples per second, in Hz.")
      .arg("sample_rate", &Args::sample_rate, "Rate that the sound is resampled to, in Hz; 0: that of the file.",
           kPerSample)
      .arg("quality", &Args::quality, "Of resampling, from 0 (3 lobes of the sinc) to 100 (64 lobes).")
      .arg("downmix", &Args::downmix, "Give the mean of all channels.")
      .arg("dtype", &Args::dtype, "FLOAT, INT16 or INT32.")
      .alias("audio_decoder")
      .devices({"cpu"})
      .host_only("takes files apart")
      .differs("A file that was cut off is an error; DALI gives what there is of a WAV file.")
      .differs(
          "A WAV file whose writer left 0 as the size of its samples is read to its end; DALI gives nothing of it.")
      .differs("Reads MP3, too, where libsndfile does.");
}

}  // namespace penstock
