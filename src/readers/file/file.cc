#include <optional>

#include "core/check.h"
#include "readers/file/contents.h"
#include "readers/file/file_set.h"
#include "readers/reader.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FileArgs : ReaderArgs {
  std::optional<std::string> file_root, file_list;
  std::optional<std::vector<std::string>> files;
  std::optional<std::vector<int64_t>> labels;
  std::vector<std::string> file_filters = usual_file_filters();
  std::vector<std::string> dir_filters = {"*"};
  bool case_sensitive_filter = false;
};

class FileReader : public ReaderOperator<FileArgs, FileSet, OpenFile> {
 public:
  void infer(Sample& s) const override {
    describe_contents(data(), index(s), state(s), s.out(0));
    s.out(1).tensor = {{DType::kInt32, {1}, {}}};
  }

  std::span<const int32_t> labels() const override { return data().list().labels(); }

  std::string place(int64_t index, std::string_view name) const override {
    return data().list().path(index) == name ? data().list().full_path(index) : std::string();
  }

  void run(Sample& s) const override {
    read_contents(data(), state(s), s.out(0).tensor);
    *s.out(1).tensor.as<int32_t>() = data().list().label(state(s).index);
  }

 protected:
  void check_args() const override {
    const FileArgs& a = constants();
    PENSTOCK_CHECK(a.file_root || a.files || a.file_list, ArgumentError,
                   "`file_root` argument is required when not using `files` or `file_list`.");
    PENSTOCK_CHECK(!a.files || !a.file_list, ArgumentError,
                   "File paths can be provided through `files` or `file_list` but not both.");
    PENSTOCK_CHECK(!a.labels || a.files, ArgumentError,
                   "The argument `labels` is valid only when file paths are provided as `files` argument.");
  }

  FileSet open() const override {
    const FileArgs& a = constants();
    if (a.files) return {FileList::of(*a.files, a.labels, a.file_root.value_or("")), "`files` is empty"};
    if (a.file_list)
      return {FileList::parse(*a.file_list, a.file_root), fmt::format("`file_list` (\"{}\") names none", *a.file_list)};
    return {FileList::scan(*a.file_root, {a.file_filters, a.dir_filters, a.case_sensitive_filter}),
            fmt::format("there is none that matches `file_filters` in those directories directly below `file_root` "
                        "(\"{}\") that match `dir_filters`",
                        *a.file_root)};
  }
};

}  // namespace

[[gnu::cold]] void register_file(Registry& r) {
  auto op = r.add<FileReader>("readers.file");
  op.doc(
      "Reads files as they are, with a label for each. The files are those below a directory, those named in a list "
      "file, or those given.");
  op.output("contents", "The bytes of the file: uint8, one dimension.");
  op.output("labels", "int32, one element.");
  op.arg("file_root", &FileArgs::file_root,
         "Directory that paths start from. Without `files` and `file_list`, all matching files in the directories "
         "directly below it are read; the label of a file is the place of its directory in alphabetical order.");
  op.arg("file_list", &FileArgs::file_list,
         "Text file with a line \"path label\" for each file. Relative paths start from `file_root`, or from the "
         "directory of the list.");
  op.arg("files", &FileArgs::files, "Paths of the files, in the order of the data set.");
  op.arg("labels", &FileArgs::labels, "One label for each of `files`; without it, a file's place in `files`.");
  op.arg("file_filters", &FileArgs::file_filters, "Patterns that names of files must match in a directory scan.");
  op.arg("dir_filters", &FileArgs::dir_filters, "Patterns that names of directories must match in a directory scan.");
  op.arg("case_sensitive_filter", &FileArgs::case_sensitive_filter, "Tell upper from lower case in the filters.");
  op.ignored("dont_use_mmap", ArgType::kBool, "Files are read, not mapped.");
  op.example({{"file_root", ExampleData{"pictures"}}});
  op.alias("file_reader");
  add_reader_args(op);
}

}  // namespace penstock
