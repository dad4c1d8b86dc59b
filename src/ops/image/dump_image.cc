#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/check.h"
#include "core/whole_file.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct DumpImageArgs {
  std::string suffix;
  std::string folder = ".";
};

class DumpImage final : public SampleOperator<DumpImageArgs> {
 public:
  void setup() override {
    const std::string& suffix = constants().suffix;
    // What is in front of the suffix and behind it takes up to 40 bytes, file systems take 255.
    PENSTOCK_CHECK(
        suffix.find_first_of(std::string_view("/\0", 2)) == std::string::npos && suffix.size() <= 200, ArgumentError,
        "suffix is part of a file's name: up to 200 bytes without \"/\", got \"{}\"; `folder` says where files go",
        suffix);
    std::error_code error;
    PENSTOCK_CHECK(std::filesystem::is_directory(constants().folder, error) &&
                       ::access(constants().folder.c_str(), W_OK | X_OK) == 0,
                   ArgumentError, "folder \"{}\" is no directory that can be written to; make it first",
                   constants().folder);
  }

  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const bool gray = in.shape.ndim() == 2 && (in.layout.empty() || in.layout == "HW");
    const bool picture = in.shape.ndim() == 3 && (in.layout.empty() || in.layout == "HWC");
    PENSTOCK_CHECK(in.dtype == DType::kUInt8, TypeError, "pictures of uint8 are written, got {}; fn.cast makes it",
                   name_of(in.dtype));
    PENSTOCK_CHECK(gray || (picture && (in.shape[2] == 1 || in.shape[2] == 3)), DataError,
                   "pictures of 1 or 3 channels are written, layout HWC, or HW; got {} of layout \"{}\"",
                   to_string(in.shape), in.layout.view());
    s.out(0).describe(in);
    s.out(0).source = s.in(0).source;
  }

  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const std::string_view pixels(reinterpret_cast<const char*>(in.data), in.nbytes());
    std::copy(in.data, in.data + in.nbytes(), s.out(0).tensor.data);
    const bool colour = in.shape.ndim() == 3 && in.shape[2] == 3;
    const DumpImageArgs& args = constants();
    const std::string path = fmt::format("{}/{}-{}-{}.ppm", args.folder, s.id().slot, args.suffix, s.id().iteration);
    const std::string header = fmt::format("{}\n{} {}\n255\n", colour ? "P6" : "P5", in.shape[1], in.shape[0]);
    const int error = write_whole_file(path, {header, pixels});
    PENSTOCK_CHECK(error == 0, DataError,
                   "cannot write {}: {}; give `folder` a directory that exists, is writable and has room left", path,
                   std::generic_category().message(error));
  }
};

}  // namespace

[[gnu::cold]] void register_dump_image(Registry& r) {
  r.add<DumpImage>("dump_image")
      .doc(
          "Writes each sample as a picture file, `<position in the batch>-<suffix>-<batch>.ppm`, and passes it on.\n\n"
          "For looking at what a pipeline makes. Batches that are made ahead are written ahead. A restored pipeline "
          "goes on "
          "with the numbers of its batches, and writes those again that it makes again.")
      .input("data", {"HWC", "HW"}, "Pictures of uint8 with 1 or 3 channels.")
      .output("data", "The input.")
      .arg("suffix", &DumpImageArgs::suffix, "Part of the files' names.")
      .arg("folder", &DumpImageArgs::folder, "Where the files go; it has to exist.")
      .ignored("input_layout", ArgType::kString, "The layout is that of the input.")
      .example({{"folder", ExampleData{"new folder"}}})
      .host_only("writes files")
      .keep()
      .differs(
          "Files are binary PPM (gray: PGM) and there as a whole or not at all. The last number is that of the batch: "
          "DALI's is always 0, and each batch overwrites the one before. The operator runs, also where nothing takes "
          "its output.");
}

}  // namespace penstock
