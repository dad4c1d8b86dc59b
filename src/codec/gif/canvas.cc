#include "codec/gif/canvas.h"

#include "core/check.h"

namespace penstock::codec::gif {
namespace {

enum Disposal : int { kNotSaid = 0, kKeep = 1, kBackground = 2, kPrevious = 3 };

}  // namespace

template <class Fn>
void Canvas::each(const Region& place, Fn&& fn) {
  size_t i = 0;
  for (int64_t y = place.y0; y < place.y0 + place.height; ++y) {
    Colour* row = &pixels_[static_cast<size_t>(y * width_ + place.x0)];
    for (int64_t x = 0; x < place.width; ++x) fn(row[x], i++);
  }
}

// Disposal is that of Pillow: a frame that is replaced by the background leaves its own transparent colour, if it has
// one, else the background's; the first frame's "previous" is its transparent colour.
void Canvas::prepare_disposal(const Frame& frame) {
  below_.clear();
  dispose_ = frame.place;
  const auto filled = [&](int index) { below_.assign(frame.pixels.size(), frame.colours[static_cast<size_t>(index)]); };
  if (frame.disposal == kBackground) {
    filled(frame.transparent >= 0 ? frame.transparent : background_);
  } else if (frame.disposal >= kPrevious) {
    if (!first_) {
      below_.resize(frame.pixels.size());
      each(dispose_, [&](const Colour& pixel, size_t i) { below_[i] = pixel; });
    } else if (frame.transparent >= 0) {
      filled(frame.transparent);
    }
  }
}

void Canvas::draw(const Frame& frame) {
  PENSTOCK_CHECK(frame.place.y0 + frame.place.height <= height_ && frame.place.x0 + frame.place.width <= width_,
                 DataError,
                 "the animation has a frame of {} x {} pixels (height x width) at row {}, column {}, which reaches "
                 "beyond the canvas of {} x {}",
                 frame.place.height, frame.place.width, frame.place.y0, frame.place.x0, height_, width_);
  if (first_)
    pixels_.assign(static_cast<size_t>(height_ * width_), frame.colours[frame.transparent < 0 ? 0 : frame.transparent]);
  if (!below_.empty()) each(dispose_, [&](Colour& pixel, size_t i) { pixel = below_[i]; });
  prepare_disposal(frame);
  each(frame.place, [&](Colour& pixel, size_t i) {
    const Colour& colour = frame.colours[frame.pixels[i]];
    if (first_ || colour[3] != 0) pixel = colour;
  });
  first_ = false;
}

}  // namespace penstock::codec::gif
