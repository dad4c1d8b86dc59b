#include <algorithm>
#include <cstring>
#include <map>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SelectMasksArgs {
  bool reindex_masks = false;
  bool last_polygon = false;
};

/// Rows of the output `polygons`, with where their vertices lie in the input.
struct Selected {
  struct Polygon {
    int32_t mask;
    int64_t begin, end;
  };
  std::vector<Polygon> polygons;
};

std::vector<int64_t> integers(const TensorView& tensor, const char* name) {
  PENSTOCK_CHECK(!is_floating(tensor.dtype) && tensor.dtype != DType::kBool, TypeError,
                 "`{}` must hold integers, got {}", name, name_of(tensor.dtype));
  std::vector<int64_t> list(static_cast<size_t>(tensor.shape.volume()));
  dispatch_all(tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(tensor.as<T>(), tensor.as<T>() + list.size(), list.begin(),
                   [](T x) { return convert_sat<int64_t>(x); });
  });
  return list;
}

class SelectMasks final : public SampleOperator<SelectMasksArgs, Selected> {
 public:
  void infer(Sample& s) const override {
    const TensorView &ids = s.in(0).tensor, &polygons = s.in(1).tensor, &vertices = s.in(2).tensor;
    PENSTOCK_CHECK(ids.shape.ndim() == 1, ArgumentError, "`mask_ids` must be a list, got the shape {}",
                   to_string(ids.shape));
    PENSTOCK_CHECK(
        polygons.shape.ndim() == 2 && polygons.shape[1] == 3, ArgumentError,
        "`polygons` must have rows of 3 numbers (mask, first vertex, vertex past the last), got the shape {}",
        to_string(polygons.shape));
    PENSTOCK_CHECK(vertices.shape.ndim() == 2, ArgumentError,
                   "`vertices` must have a row of coordinates for each vertex, got the shape {}",
                   to_string(vertices.shape));
    state(s).polygons = select(s);
    int64_t count = 0;
    for (const auto& polygon : state(s).polygons) count += polygon.end - polygon.begin;
    const auto rows = static_cast<int64_t>(state(s).polygons.size());
    s.out(0).describe({.dtype = DType::kInt32, .shape = {rows, 3}, .layout = polygons.layout});
    s.out(1).describe({.dtype = vertices.dtype, .shape = {count, vertices.shape[1]}, .layout = vertices.layout});
  }

  void run(Sample& s) const override {
    const TensorView& vertices = s.in(2).tensor;
    const size_t row = static_cast<size_t>(vertices.shape[1]) * size_of(vertices.dtype);
    int32_t* out = s.out(0).tensor.as<int32_t>();
    std::byte* to = s.out(1).tensor.data;
    int32_t first = 0;
    for (const auto& [mask, begin, end] : state(s).polygons) {
      const int32_t next = first + static_cast<int32_t>(end - begin);
      *out++ = mask, *out++ = first, *out++ = next;
      first = next;
      const size_t bytes = static_cast<size_t>(end - begin) * row;
      if (bytes > 0) std::memcpy(to, vertices.data + static_cast<size_t>(begin) * row, bytes);
      to += bytes;
    }
  }

 private:
  std::vector<Selected::Polygon> select(const Sample& s) const {
    const std::vector<int64_t> ids = integers(s.in(0).tensor, "mask_ids"), rows = integers(s.in(1).tensor, "polygons");
    std::map<int64_t, std::vector<size_t>> of_mask;  // the rows of each mask, in order
    for (size_t i = 0; i < rows.size(); i += 3) of_mask[rows[i]].push_back(i);
    std::vector<Selected::Polygon> selected;
    int64_t count = 0;
    for (size_t k = 0; k < ids.size(); ++k) {
      PENSTOCK_CHECK(std::find(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(k), ids[k]) ==
                         ids.begin() + static_cast<ptrdiff_t>(k),
                     ArgumentError, "`mask_ids` must not hold a mask twice, got {} again", ids[k]);
      const auto found = of_mask.find(ids[k]);
      PENSTOCK_CHECK(found != of_mask.end(), ArgumentError, "Selected mask_id {} is not present in `polygons`", ids[k]);
      const std::vector<size_t>& its = found->second;
      for (size_t i = args(s).last_polygon ? its.size() - 1 : 0; i < its.size(); ++i) {
        const int64_t begin = rows[its[i] + 1], end = rows[its[i] + 2], all = s.in(2).tensor.shape[0];
        PENSTOCK_CHECK(begin >= 0 && begin <= end && end <= all, ArgumentError,
                       "the vertices [{}, {}) of mask {} are no range of the {} that there are", begin, end, ids[k],
                       all);
        count += end - begin;
        PENSTOCK_CHECK(count < INT32_MAX, ArgumentError, "the masks have more than 2^31 vertices together");
        selected.push_back(
            {convert_sat<int32_t>(args(s).reindex_masks ? static_cast<int64_t>(k) : ids[k]), begin, end});
      }
    }
    return selected;
  }
};

}  // namespace

[[gnu::cold]] void register_select_masks(Registry& r) {
  using Args = SelectMasksArgs;
  r.add<SelectMasks>("segmentation.select_masks")
      .doc("Takes the polygons of some masks, in the order in which the masks are named, as `readers.coco` gives them.")
      .input("mask_ids", {}, "List of integers: the masks to take, each once.")
      .reads_data()
      .holds("mask ids")
      .input("polygons", {}, "Integers, three a row: mask, first vertex, the vertex behind the last one.")
      .reads_data()
      .holds("polygons")
      .input("vertices", {}, "A row of coordinates for each vertex, of any type.")
      .holds("vertices")
      .output("polygons", "int32: the rows of the masks taken, with the vertices' new numbers.")
      .output("vertices", "Their vertices.")
      .arg("reindex_masks", &Args::reindex_masks, "Masks are called by their places in `mask_ids`.")
      .arg("last_polygon", &Args::last_polygon, "Keeps only the last polygon of a mask that has several, as DALI does.")
      .devices({"cpu"})
      .host_only("its outputs are as large as its inputs say; DALI agrees")
      .differs("A mask of several polygons keeps all of them; `last_polygon=True` is DALI's way.")
      .differs("Masks and polygons may be integers of any type.");
}

}  // namespace penstock
