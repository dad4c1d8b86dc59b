#include <optional>

#include "core/check.h"
#include "readers/records/group_args.h"
#include "readers/records/record_reader.h"
#include "readers/webdataset/samples.h"
#include "readers/webdataset/tar.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct WebdatasetArgs : RecordArgs, GroupArgs {
  std::vector<std::string> paths, ext;
  std::optional<std::vector<std::string>> index_paths;
  std::string missing_component_behavior;
  std::optional<std::vector<int64_t>> dtypes;
  bool case_sensitive_extensions = true;
};

class WebdatasetReader : public ReaderOperator<WebdatasetArgs, RecordFiles> {
 public:
  void setup() override {
    const WebdatasetArgs& a = constants();
    extensions_.emplace(a.ext, a.case_sensitive_extensions);
    missing_ = missing_component_from(a.missing_component_behavior);
    dtypes_.assign(extensions_->outputs(), DType::kUInt8);
    PENSTOCK_CHECK(!a.dtypes || a.dtypes->size() == dtypes_.size(), ArgumentError,
                   "Number of extensions does not match the number of provided types: {} of `ext`, {} of `dtypes`",
                   dtypes_.size(), a.dtypes->size());
    for (size_t i = 0; a.dtypes && i < dtypes_.size(); ++i) {
      assign(dtypes_[i], ArgValue((*a.dtypes)[i]));
      PENSTOCK_CHECK(size_of(dtypes_[i]) > 0, TypeError, "`dtypes` has {}, which is no element type", (*a.dtypes)[i]);
    }
    ReaderOperator::setup();
  }

  order::Spec order(const OpSpec& spec) const override {
    order::Spec order = ReaderOperator::order(spec);
    const RecordFiles::Packed& packed = data().packed();
    shuffle_in_groups(order, constants(),
                      {"compressed archive", packed.most_records, packed.most_bytes, packed.all_bytes});
    return order;
  }

  void prefetch(int64_t index, int64_t later) const noexcept override { data().prefetch(index, later); }

  void infer(Sample& s) const override {
    const auto [file, places] = data().places(index(s));
    for (int i = 0; i < s.num_outputs(); ++i) {
      const Place place = places[static_cast<size_t>(i)];
      const DType dtype = dtypes_[static_cast<size_t>(i)];
      Value& out = s.out(i);
      if (place.begin == 0) {
        out.tensor = {{dtype, {0}, {}}};
        continue;
      }
      out.source = joined(s, {file->path(), ":", Digits(place.begin)});
      out.lies_in = file->pinnable();
      naming_source([&] { return std::string(out.source); },
                    [&, &file = file, &place = place] { share(s, out, *file, place, dtype); });
    }
  }

  void run(Sample&) const override {}  // all outputs lie in the archive

 protected:
  void check_args() const override {
    const WebdatasetArgs& a = constants();
    PENSTOCK_CHECK(!a.index_paths || a.index_paths->size() == a.paths.size(), ArgumentError,
                   "The number of index files, if any, must match the number of archives in the dataset: {} of "
                   "`index_paths`, {} of `paths`",
                   a.index_paths->size(), a.paths.size());
    a.budget();
  }

  RecordFiles open() const override {
    const WebdatasetArgs& a = constants();
    const auto list = [&](size_t i, const PosixFile& file) {
      if (!a.index_paths) return list_tar(file, *extensions_, missing_);
      const std::string& path = (*a.index_paths)[i];
      std::vector<Place> places;
      naming_source([&] { return path; },
                    [&] { places = parse_wds_index(PosixFile::open_named(path).text(), *extensions_, missing_); });
      return places;
    };
    return {a.paths, a.in_place(), list, extensions_->outputs(), kTarBlock, a.budget()};
  }

 private:
  /// Reads the header with the data: it tells the file's name, and whether the index is that of another archive.
  static void share(Sample& s, Value& out, const RecordFile& file, Place place, DType dtype) {
    const Place both{place.begin - kTarBlock, place.size + kTarBlock};
    const std::string_view bytes = file.read(both, [&](size_t n) { return s.scratch_array<char>(n); });
    constexpr int64_t kLarge = int64_t{8} << 30;  // no number that the header has room for
    std::optional<TarHeader> header;
    try {
      header = parse_tar_header(bytes.substr(0, kTarBlock));
    } catch (const Error&) {
      header.reset();
    }
    PENSTOCK_CHECK(header && header->is_file() && (header->size == place.size || place.size >= kLarge), DataError,
                   "no file of {} bytes begins here: the archive is damaged, or its index is that of another one",
                   place.size);
    out.source = joined(s, {out.source, ":", header->name});
    const auto each = static_cast<int64_t>(size_of(dtype));
    PENSTOCK_CHECK(place.size % each == 0, DataError,
                   "component size and dtype incompatible: {} bytes are no whole number of {}", place.size,
                   name_of(dtype));
    share_bytes(out, bytes.substr(kTarBlock), {place.size / each}, {});
    out.tensor.dtype = dtype;
  }

  std::optional<Extensions> extensions_;
  MissingComponent missing_ = MissingComponent::kEmpty;
  std::vector<DType> dtypes_;
};

int count_outputs(const OpSpec& spec) {
  std::vector<std::string> ext;
  take_constant(spec, "ext", ext);
  PENSTOCK_CHECK(!ext.empty(), ArgumentError, "`ext` names no output");
  return static_cast<int>(ext.size());
}

}  // namespace

[[gnu::cold]] void register_webdataset(Registry& r) {
  auto op = r.add<WebdatasetReader>("readers.webdataset");
  op.doc(
      "Reads tar archives in which the files of a sample, one behind the other, have one name and different "
      "extensions, "
      "which begin behind the first dot. There is an output for each entry of `ext`. Files that begin with a dot or "
      "have "
      "none are left out, as is what is no regular file. An archive that is compressed by gzip or zstd has no random "
      "access: it is unpacked into memory as a whole when one of its samples is needed, and kept while `cache_size` "
      "has room. Samples in their order need one at a time, a shuffle all of them or `shuffle_groups`. Without "
      "`index_paths` (of the unpacked archive) it is unpacked once more when the data set is opened.");
  op.output("components", "The bytes of the file as numbers of the type in `dtypes`, by default uint8; one dimension.");
  op.count_outputs(count_outputs);
  op.arg("paths", &WebdatasetArgs::paths, "Path of the archive, or a list that is read one after the other.",
         kRequired);
  op.arg("ext", &WebdatasetArgs::ext,
         "Extension of each output's files; several that will do are separated by \";\", and the file that comes first "
         "in the archive is taken.",
         kRequired);
  op.arg(
      "index_paths", &WebdatasetArgs::index_paths,
      "An index for each archive, as the script `wds2idx` writes it. Without it the index is made when the data set is "
      "opened, by reading all headers.");
  op.arg(
      "missing_component_behavior", &WebdatasetArgs::missing_component_behavior,
      "What a sample that lacks a file is: \"empty\" (an empty output, also with \"\"), \"skip\" (left out of the data "
      "set) or \"error\".");
  op.arg("dtypes", &WebdatasetArgs::dtypes, "Type of each output; by default uint8.");
  op.arg("case_sensitive_extensions", &WebdatasetArgs::case_sensitive_extensions,
         "Tell upper from lower case (of ASCII) in extensions.");
  op.example({{"paths", ExampleData{"webdataset"}}, {"ext", {"jpg", "cls"}}});
  op.differs("Archives may be compressed by gzip or zstd.");
  op.differs("Files without an extension, and those that begin with a dot, make no sample; pax's long names are read.");
  add_group_args(op);
  add_record_args(op);
}

}  // namespace penstock
