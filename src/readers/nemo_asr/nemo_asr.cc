#include <algorithm>
#include <cmath>
#include <memory>

#include "core/check.h"
#include "kernels/sound/decode.h"
#include "readers/file/file_set.h"
#include "readers/fingerprint.h"
#include "readers/nemo_asr/manifest.h"
#include "readers/reader.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct NemoArgs : ReaderArgs {
  std::vector<std::string> manifest_filepaths;
  std::string file_root;
  float min_duration = 0, max_duration = 0, sample_rate = -1, quality = 50;
  bool downmix = true, read_sample_rate = true, read_text = true, read_idxs = false;
  DType dtype = DType::kFloat;
};

/// Entries of all manifests that are taken.
struct Speech {
  std::vector<std::string> paths;
  std::vector<nemo::Entry> entries;  ///< their paths are in `paths`
  std::vector<int64_t> numbers;      ///< among those that are taken of a manifest
  std::vector<size_t> manifests;     ///< which one an entry is of
};

class SpeechFiles {
 public:
  SpeechFiles(Speech speech, const std::string& root)
      : files_(FileList::of(speech.paths, {}, root), "in the manifests"), speech_(std::move(speech)) {
    speech_.paths = {};
  }
  const FileSet& files() const { return files_; }
  const Speech& speech() const { return speech_; }
  int64_t size() const { return files_.size(); }
  /// Of a file that holds many entries only the header: where a segment lies is known when that was read.
  void will_need(int64_t index) const {
    constexpr int64_t kHeader = 64 << 10;
    const PosixFile file = files_.open(index);
    file.will_need(
        0, speech_.entries[static_cast<size_t>(index)].offset > 0 ? std::min(file.size(), kHeader) : file.size());
  }
  uint64_t fingerprint() const {
    Fingerprint print;
    print.add(files_.fingerprint());
    for (const nemo::Entry& entry : speech_.entries) {
      print.add(entry.text);
      for (const double seconds : {entry.offset, entry.duration})
        print.add(static_cast<uint64_t>(std::llround(seconds * 1e6)));
    }
    return print.value();
  }

 private:
  FileSet files_;
  Speech speech_;
};

/// A file whose parts are read as they are needed: a segment of an hour's recording does not take all of it.
class FileSource final : public codec::sound::Source {
 public:
  explicit FileSource(PosixFile file) : file_(std::move(file)) {}
  int64_t size() const override { return file_.size(); }
  void read(int64_t begin, std::span<std::byte> to) const override { file_.read(to, begin); }

 private:
  PosixFile file_;
};

int count_outputs(const OpSpec& spec) {
  NemoArgs a;
  take_constant(spec, "read_sample_rate", a.read_sample_rate);
  take_constant(spec, "read_text", a.read_text);
  take_constant(spec, "read_idxs", a.read_idxs);
  return 1 + a.read_sample_rate + a.read_text + a.read_idxs;
}

class NemoReader final : public ReaderOperator<NemoArgs, SpeechFiles, kernels::SoundDecoding> {
 public:
  void infer(Sample& s) const override {
    const int64_t number = index(s);
    s.out(0).source = data().files().list().path(number);
    naming_entry(number, [&] {
      state(s).open(codec::sound::SoundFile(std::make_unique<FileSource>(data().files().open(number))), request());
      take_segment(entry(number), state(s));
      s.out(0).tensor = {{constants().dtype, state(s).shape(), {}}};
    });
    int next = 1;
    if (constants().read_sample_rate) s.out(next++).tensor = {{DType::kFloat, {}, {}}};
    if (constants().read_text) {
      const std::string& text = entry(number).text;
      share_bytes(s.out(next++), text, {static_cast<int64_t>(text.size())}, {});
    }
    if (constants().read_idxs) s.out(next++).tensor = {{DType::kInt64, {1}, {}}};
  }

  void run(Sample& s) const override {
    const int64_t number = index(s);
    int next = 1;
    if (constants().read_sample_rate) *s.out(next++).tensor.as<float>() = static_cast<float>(state(s).file().rate());
    if (constants().read_text) ++next;
    if (constants().read_idxs)
      *s.out(next++).tensor.as<int64_t>() = data().speech().numbers[static_cast<size_t>(number)];
    naming_entry(number, [&] { state(s).decode(s, s.out(0).tensor.data); });
  }

  std::string place(int64_t index, std::string_view name) const override {
    const FileList& list = data().files().list();
    return list.path(index) == name ? list.full_path(index) : std::string();
  }

 protected:
  void check_args() const override {
    const NemoArgs& a = constants();
    PENSTOCK_CHECK(!a.manifest_filepaths.empty(), ArgumentError, "`manifest_filepaths` can not be empty");
    PENSTOCK_CHECK(!std::isnan(a.min_duration) && !std::isnan(a.max_duration), ArgumentError,
                   "`min_duration` and `max_duration` must be numbers, got {} and {}", a.min_duration, a.max_duration);
    kernels::check_request(request());
  }

  SpeechFiles open() const override {
    Speech speech;
    const std::vector<std::string>& manifests = constants().manifest_filepaths;
    for (size_t i = 0; i < manifests.size(); ++i)
      naming_source([&] { return manifests[i]; }, [&] { add_manifest(i, speech); });
    PENSTOCK_CHECK(
        !speech.entries.empty(), ArgumentError,
        "No files found: the manifests ({}) have no entries, or `min_duration` and `max_duration` leave none",
        fmt::join(manifests, ", "));
    return {std::move(speech), constants().file_root};
  }

 private:
  kernels::SoundRequest request() const {
    const NemoArgs& a = constants();
    const bool resamples = !(a.sample_rate <= 0);  // NaN is refused
    return {resamples ? a.sample_rate : 0, a.quality, a.downmix, a.dtype};
  }

  const nemo::Entry& entry(int64_t number) const { return data().speech().entries[static_cast<size_t>(number)]; }

  void add_manifest(size_t which, Speech& speech) const {
    const NemoArgs& a = constants();
    int64_t taken = 0;
    const PosixFile file = PosixFile::open_named(a.manifest_filepaths[which]);
    for (nemo::Entry& entry : nemo::parse_manifest(file.text())) {
      if (a.max_duration > 0 && static_cast<float>(entry.duration) > a.max_duration) continue;
      if (a.min_duration > 0 && static_cast<float>(entry.duration) < a.min_duration) continue;
      speech.paths.push_back(std::move(entry.path));
      speech.entries.push_back(std::move(entry));
      speech.numbers.push_back(taken++);
      speech.manifests.push_back(which);
    }
  }

  /// Does `action`; what is wrong with the file tells the file and the manifest's line, too.
  template <class Action>
  void naming_entry(int64_t number, Action&& action) const {
    try {
      naming_source([&] { return data().files().list().full_path(number); }, action);
    } catch (const DataError& e) {
      DataError told(
          fmt::format("{} (line {} of \"{}\")", e.message(), entry(number).line,
                      constants().manifest_filepaths[data().speech().manifests[static_cast<size_t>(number)]]));
      told.add_context(e.context());
      throw told;
    }
  }

  /// Durations in manifests are rounded: a segment may end behind its file, but not begin there.
  static void take_segment(const nemo::Entry& entry, kernels::SoundDecoding& decoding) {
    const codec::sound::SoundFile& file = decoding.file();
    const auto place = [&](double seconds) { return std::llround(seconds * file.rate()); };
    const int64_t begin = place(entry.offset);
    PENSTOCK_CHECK(begin <= file.frames(), DataError, "`offset` is {} s, but the file has {:.3f} s of sound",
                   entry.offset, static_cast<double>(file.frames()) / file.rate());
    const int64_t left = file.frames() - begin;
    decoding.take(begin, begin + (entry.duration < 0 ? left : std::min<int64_t>(place(entry.duration), left)));
  }
};

void describe_outputs(OpBuilder<NemoReader>& op) {
  op.output("audio", "(samples) with `downmix`, else (samples, channels): the part of the file that the entry names.");
  op.output(
      "more",
      "With `read_sample_rate` a float scalar, the file's own rate in Hz, also where `sample_rate` is given. With "
      "`read_text` the transcript in UTF-8: uint8, one dimension. With `read_idxs` int64, one element: the number "
      "of the entry among those taken of its manifest.");
  op.count_outputs(count_outputs);
}

}  // namespace

[[gnu::cold]] void register_nemo_asr(Registry& r) {
  auto op = r.add<NemoReader>("readers.nemo_asr");
  op.doc(
      "Reads speech and its transcripts as NeMo's manifests list them: JSON objects with `audio_filepath` and, where "
      "they are given, `duration` and `offset` in seconds (else all of the file) and `text`.");
  describe_outputs(op);
  op.arg("manifest_filepaths", &NemoArgs::manifest_filepaths, "Paths of the manifests.", kRequired);
  op.arg("file_root", &NemoArgs::file_root,
         "Directory that relative paths in manifests start from; by default the current one.");
  op.arg("min_duration", &NemoArgs::min_duration,
         "Above 0: entries of fewer seconds, or without `duration`, are left out.");
  op.arg("max_duration", &NemoArgs::max_duration, "Above 0: entries of more seconds are left out.");
  op.arg("sample_rate", &NemoArgs::sample_rate, "Above 0: the rate that sound is resampled to, in Hz.");
  op.arg("quality", &NemoArgs::quality, "Of resampling, from 0 (3 lobes of the sinc) to 100 (64 lobes).");
  op.arg("downmix", &NemoArgs::downmix, "Give the mean of all channels.");
  op.arg("dtype", &NemoArgs::dtype, "FLOAT, INT16 or INT32.");
  op.arg("read_sample_rate", &NemoArgs::read_sample_rate, "Give the file's rate.");
  op.arg("read_text", &NemoArgs::read_text, "Give the transcript.");
  op.arg("read_idxs", &NemoArgs::read_idxs, "Give the entry's number.");
  op.ignored("normalize_text", ArgType::kBool, "Transcripts are given as they are written.", kDeprecated);
  op.ignored("dont_use_mmap", ArgType::kBool, "Files are read, not mapped.");
  op.example({{"manifest_filepaths", ExampleData{"speech"}}, {"read_idxs", true}});
  op.differs(
      "Manifests that are no JSON, entries without a file, and offsets behind a file's end are errors that name the "
      "line. DALI leaves such lines out, or crashes.");
  op.alias("nemo_asr_reader");
  add_reader_args(op);
}

}  // namespace penstock
