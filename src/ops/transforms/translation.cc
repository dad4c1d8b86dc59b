#include "ops/transforms/transform.h"

namespace penstock {
namespace {

struct TranslationArgs : TransformArgs {
  std::vector<float> offset;
};

class Translation final : public TransformOperator<TranslationArgs> {
  int axes(const Sample& s) const override { return static_cast<int>(args(s).offset.size()); }
  Affine matrix(const Sample& s, int) const override { return translation_by(args(s).offset); }
};

}  // namespace

[[gnu::cold]] void register_transforms_translation(Registry& r) {
  add_transform<Translation>(r, "transforms.translation", "Makes the matrix of a translation.")
      .arg("offset", &TranslationArgs::offset, "How far points are moved along each axis.", kPerSample | kRequired)
      .alias("transform_translation")
      .example({{"offset", {2, -3}}});
}

}  // namespace penstock
