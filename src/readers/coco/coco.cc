#include <algorithm>
#include <cstring>
#include <optional>

#include "core/check.h"
#include "readers/coco/data_set.h"
#include "readers/coco/mask.h"
#include "readers/file/contents.h"
#include "readers/file/file_set.h"
#include "readers/reader.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct CocoArgs : ReaderArgs {
  std::string file_root;
  std::optional<std::string> annotations_file, preprocessed_annotations;
  bool ltrb = false, ratio = false, skip_empty = false, avoid_class_remapping = false, ignore_strays = false;
  bool include_iscrowd = true;
  float size_threshold = 0.1f;
  bool polygon_masks = false, masks = false, pixelwise_masks = false, image_ids = false;
  std::optional<std::vector<std::string>> images;
  bool save_preprocessed_annotations = false;
  std::string save_preprocessed_annotations_dir;
};

/// Which outputs a node has.
struct CocoOutputs {
  bool polygons = false, masks = false, ids = false;
  bool coordinates = false;  ///< polygons tell coordinates, as the old argument `masks` has it, not vertices

  int count() const { return 3 + 2 * polygons + masks + ids; }
};

CocoOutputs outputs_of(const CocoArgs& a) {
  return {a.polygon_masks || a.masks, a.pixelwise_masks, a.image_ids, a.masks};
}

int count_coco_outputs(const OpSpec& spec) {
  CocoArgs a;
  take_constant(spec, "polygon_masks", a.polygon_masks);
  take_constant(spec, "masks", a.masks);
  take_constant(spec, "pixelwise_masks", a.pixelwise_masks);
  take_constant(spec, "image_ids", a.image_ids);
  take_constant(spec, "save_img_ids", a.image_ids);
  return outputs_of(a).count();
}

/// Names of files come from strangers: none may lead out of the directory that the user named.
void check_inside(const std::string& root, std::string_view name) {
  const bool below = name.starts_with('/') && name.starts_with(root) && root.ends_with('/');
  PENSTOCK_CHECK(!name.empty() && name.find('\0') == std::string_view::npos && (below || !name.starts_with('/')),
                 DataError, "the `file_name` \"{}\" is no path in `file_root` (\"{}\")", name, root);
  int depth = 0;
  for (std::string_view rest = below ? name.substr(root.size()) : name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == "..") --depth;
    if (!part.empty() && part != "." && part != "..") ++depth;
    PENSTOCK_CHECK(depth >= 0, DataError, "the `file_name` \"{}\" leads out of `file_root` (\"{}\")", name, root);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
}

/// The pictures' files, and what is on them.
class CocoFiles {
 public:
  CocoFiles(coco::DataSet set, const std::string& root, std::string_view where)
      : files_(listed(set.files, root), where), set_(std::move(set)) {}
  const FileSet& files() const { return files_; }
  const coco::DataSet& set() const { return set_; }
  int64_t size() const { return files_.size(); }
  uint64_t fingerprint() const { return set_.fingerprint(); }
  void will_need(int64_t index) const { files_.will_need(index); }

 private:
  static FileList listed(std::vector<std::string>& names, const std::string& root) {
    const std::string directory = root.empty() || root.ends_with('/') ? root : root + "/";
    for (const std::string& name : names) check_inside(directory, name);
    PENSTOCK_CHECK(!names.empty(), ArgumentError,
                   "No files found: the annotations name no image, or `skip_empty` leaves all of them out");
    return FileList::of(names, {}, root);
  }

  FileSet files_;
  coco::DataSet set_;
};

struct CocoState {
  OpenFile open;
  std::vector<int64_t> ends;
  std::vector<std::pair<int32_t, size_t>> order;
};

class CocoReader : public ReaderOperator<CocoArgs, CocoFiles, CocoState> {
 public:
  void setup() override {
    outputs_ = outputs_of(constants());
    ReaderOperator::setup();
  }

  void infer(Sample& s) const override {
    const coco::Entry& entry = this->entry(s);
    describe_contents(data().files(), index(s), state(s).open, s.out(0));
    const auto objects = static_cast<int64_t>(entry.objects.size());
    s.out(1).tensor = {{DType::kFloat, {objects, 4}, {}}};
    s.out(2).tensor = {{DType::kInt32, {objects}, {}}};
    int next = 3;
    if (outputs_.polygons) {
      s.out(next++).tensor = {{DType::kInt32, {static_cast<int64_t>(entry.polygons.size()), 3}, {}}};
      s.out(next++).tensor = {{DType::kFloat, {static_cast<int64_t>(entry.vertices.size()), 2}, {}}};
    }
    if (outputs_.masks) s.out(next++).tensor = {{DType::kInt32, {entry.height, entry.width, 1}, "HWC"}};
    if (outputs_.ids) s.out(next++).tensor = {{DType::kInt32, {1}, {}}};
  }

  std::string place(int64_t index, std::string_view name) const override {
    const FileList& list = data().files().list();
    return list.path(index) == name ? list.full_path(index) : std::string();
  }
  std::string record(int64_t index) const override {
    return fmt::format("image_id {}", data().set().entries[static_cast<size_t>(index)].id);
  }

  void run(Sample& s) const override {
    const coco::Entry& entry = this->entry(s);
    const coco::DataSet& set = data().set();
    read_contents(data().files(), state(s).open, s.out(0).tensor);
    copy(coco::part(set.boxes, entry.objects), s.out(1));
    copy(coco::part(set.labels, entry.objects), s.out(2));
    int next = 3;
    if (outputs_.polygons) {
      copy(coco::part(set.polygons, entry.polygons), s.out(next));
      if (outputs_.coordinates) {
        auto* polygons = reinterpret_cast<coco::Polygon*>(s.out(next).tensor.data);
        for (size_t i = 0; i < entry.polygons.size(); ++i) polygons[i].begin *= 2, polygons[i].end *= 2;
      }
      copy(coco::part(set.vertices, entry.vertices), s.out(next + 1));
      next += 2;
    }
    if (outputs_.masks) paint_objects(entry, state(s), s.out(next++).tensor);
    if (outputs_.ids) *s.out(next++).tensor.as<int32_t>() = static_cast<int32_t>(entry.id);
  }

 protected:
  void check_args() const override {
    const CocoArgs& a = constants();
    const bool prepared = a.preprocessed_annotations.has_value();
    PENSTOCK_CHECK(prepared || a.annotations_file, ArgumentError,
                   "Either `annotations_file` or `preprocessed_annotations` must be provided");
    for (const char* name : {"annotations_file", "skip_empty", "ratio", "ltrb", "size_threshold", "images",
                             "save_preprocessed_annotations", "save_preprocessed_annotations_dir", "dump_meta_files",
                             "dump_meta_files_path"})
      PENSTOCK_CHECK(!prepared || !spec().given(name), ArgumentError,
                     "When reading data from preprocessed annotation files, \"{}\" is not supported.", name);
    PENSTOCK_CHECK(!outputs_.polygons || !outputs_.masks, ArgumentError,
                   "`pixelwise_masks` and `polygon_masks` are mutually exclusive");
    PENSTOCK_CHECK(a.save_preprocessed_annotations != a.save_preprocessed_annotations_dir.empty(), ArgumentError,
                   "`save_preprocessed_annotations` and `save_preprocessed_annotations_dir` should be provided "
                   "together");
    PENSTOCK_CHECK(a.size_threshold >= 0, ArgumentError, "`size_threshold` must not be negative, got {}",
                   a.size_threshold);
  }

  CocoFiles open() const override {
    const CocoArgs& a = constants();
    const coco::Choice choice{.ltrb = a.ltrb,
                              .ratio = a.ratio,
                              .skip_empty = a.skip_empty,
                              .remap = !a.avoid_class_remapping,
                              .ignore_strays = a.ignore_strays,
                              .polygons = outputs_.polygons,
                              .masks = outputs_.masks,
                              .images = a.images ? &*a.images : nullptr};
    const std::string& path = a.annotations_file ? *a.annotations_file : *a.preprocessed_annotations;
    std::optional<CocoFiles> files;
    naming_source([&] { return path; },
                  [&] {
                    coco::DataSet set =
                        a.annotations_file ? read(path, choice) : load_preprocessed(path, choice, outputs_.ids);
                    files.emplace(std::move(set), a.file_root, path);
                    check_ids(files->set());
                  });
    if (a.save_preprocessed_annotations)
      save_preprocessed(a.save_preprocessed_annotations_dir, files->set(), choice, outputs_.ids);
    return std::move(*files);
  }

 private:
  const coco::Entry& entry(const Sample& s) const { return data().set().entries[static_cast<size_t>(index(s))]; }

  void check_ids(const coco::DataSet& set) const {
    for (const coco::Entry& entry : set.entries)
      PENSTOCK_CHECK(!outputs_.ids || entry.id == static_cast<int32_t>(entry.id), DataError,
                     "the id {} of an image does not fit into the INT32 of `image_ids`", entry.id);
  }

  coco::DataSet read(const std::string& path, const coco::Choice& choice) const {
    const CocoArgs& a = constants();
    return arranged(coco::parse_annotations(
                        PosixFile::open_named(path).text(),
                        {a.size_threshold, a.include_iscrowd, outputs_.polygons || outputs_.masks, outputs_.masks}),
                    choice);
  }

  template <class T>
  static void copy(std::span<const T> from, Value& out) {
    if (!from.empty()) std::memcpy(out.tensor.data, from.data(), from.size_bytes());
  }

  /// Classes of higher numbers lie above those of lower ones.
  void paint_objects(const coco::Entry& entry, CocoState& state, const TensorView& out) const {
    const coco::DataSet& set = data().set();
    const auto labels = coco::part(set.labels, entry.objects);
    const auto polygons = coco::part(set.polygons, entry.polygons);
    const auto masks = coco::part(set.masks, entry.masks);
    const auto vertices = coco::part(set.vertices, entry.vertices);
    const coco::Canvas canvas{out.as<int32_t>(), entry.height, entry.width};
    std::memset(out.data, 0, out.nbytes());
    state.order.clear();
    for (size_t i = 0; i < polygons.size() + masks.size(); ++i) {
      const int32_t object = i < polygons.size() ? polygons[i].object : masks[i - polygons.size()].object;
      state.order.emplace_back(labels[static_cast<size_t>(object)], i);
    }
    std::ranges::sort(state.order);
    for (const auto& [label, i] : state.order) {
      if (i >= polygons.size()) {
        coco::paint(coco::part(set.counts, masks[i - polygons.size()].rle.counts), label, canvas);
        continue;
      }
      const auto begin = static_cast<size_t>(polygons[i].begin), end = static_cast<size_t>(polygons[i].end);
      coco::paint(vertices.subspan(begin, end - begin), label, canvas, state.ends);
    }
  }

  CocoOutputs outputs_;
};

void describe_outputs(OpBuilder<CocoReader>& op) {
  op.output("images", "The bytes of the file: uint8, one dimension.");
  op.output("boxes", "FLOAT, a row of four numbers for each object: x, y, width, height, or as `ltrb` says.");
  op.output("labels", "INT32, one for each object.");
  op.output("more",
            "With `polygon_masks` two outputs, polygons (INT32, rows of object, first vertex, vertex behind the last) "
            "and vertices (FLOAT, rows of x and y). With `pixelwise_masks` one: INT32 with the layout HWC and one "
            "channel, the label of the object at each pixel, 0 where there is none. With `image_ids` one more: INT32, "
            "one element.");
  op.count_outputs(count_coco_outputs);
}

}  // namespace

[[gnu::cold]] void register_coco(Registry& r) {
  auto op = r.add<CocoReader>("readers.coco");
  op.doc(
      "Reads pictures with the boxes, classes and masks of the objects on them, as COCO's annotation files tell. "
      "Samples are ordered by the images' ids, objects as in the file.");
  describe_outputs(op);
  op.arg("file_root", &CocoArgs::file_root, "Directory that the `file_name` of images starts from, and may not leave.");
  op.arg("annotations_file", &CocoArgs::annotations_file, "Path of the JSON file.");
  op.arg("preprocessed_annotations", &CocoArgs::preprocessed_annotations,
         "Directory that `save_preprocessed_annotations`, of this reader or of DALI's, has written; in place of "
         "`annotations_file`. Boxes are as the arguments then asked.");
  op.arg("ltrb", &CocoArgs::ltrb, "Give boxes as left, top, right, bottom instead of x, y, width, height.");
  op.arg("ratio", &CocoArgs::ratio, "Give boxes and vertices in parts of the image's width and height.");
  op.arg("skip_empty", &CocoArgs::skip_empty, "Leave out images without objects.");
  op.arg("size_threshold", &CocoArgs::size_threshold,
         "Objects whose box has a side shorter than so many pixels are left out.");
  op.arg("include_iscrowd", &CocoArgs::include_iscrowd, "Give objects that are marked `iscrowd`, too.");
  op.arg("avoid_class_remapping", &CocoArgs::avoid_class_remapping,
         "Give classes as `category_id` has them. Otherwise they are numbered from 1 in the order of `categories`.");
  op.arg("ignore_strays", &CocoArgs::ignore_strays,
         "Leave out annotations whose image is not in the file, instead of refusing the file.");
  op.arg("polygon_masks", &CocoArgs::polygon_masks, "Give objects' outlines; excludes `pixelwise_masks`.");
  op.arg("pixelwise_masks", &CocoArgs::pixelwise_masks,
         "Give a picture of classes, from outlines and run lengths. Where objects overlap, the higher class shows.");
  op.arg("image_ids", &CocoArgs::image_ids, "Give the image's id.");
  op.arg("images", &CocoArgs::images,
         "The `file_name` of each image that is read, in the order of the data set; may hold one more than once.");
  op.arg("save_preprocessed_annotations", &CocoArgs::save_preprocessed_annotations,
         "Write what was read from `annotations_file` in DALI's binary form, which opens faster.");
  op.arg("save_preprocessed_annotations_dir", &CocoArgs::save_preprocessed_annotations_dir,
         "Directory for that; made if it is not there.");
  op.arg("masks", &CocoArgs::masks,
         "As `polygon_masks`, but polygons tell where their coordinates lie instead of their vertices.", kHidden);
  op.arg("save_img_ids", &CocoArgs::image_ids, "Older name of `image_ids`.", kHidden);
  op.arg("meta_files_path", &CocoArgs::preprocessed_annotations, "Older name of `preprocessed_annotations`.", kHidden);
  op.arg("dump_meta_files", &CocoArgs::save_preprocessed_annotations, "Older name of `save_preprocessed_annotations`.",
         kHidden);
  op.arg("dump_meta_files_path", &CocoArgs::save_preprocessed_annotations_dir,
         "Older name of `save_preprocessed_annotations_dir`.", kHidden);
  op.ignored("dont_use_mmap", ArgType::kBool, "Files are read, not mapped.");
  op.example({{"file_root", ExampleData{"coco pictures"}}, {"annotations_file", ExampleData{"coco"}}, {"ltrb", true}});
  op.differs(
      "Files that contradict themselves are refused: annotations of images or classes that are not there, `images` "
      "that the file does not name. DALI leaves them out, or gives them class 0.");
  op.differs(
      "Pixelwise masks are right with `ratio`, too, and hold all objects of a class; DALI's lack run lengths where the "
      "class also has outlines, and of several run lengths all but one.");
  op.alias("coco_reader");
  add_reader_args(op);
}

}  // namespace penstock
