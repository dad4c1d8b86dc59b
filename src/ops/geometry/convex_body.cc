#include "ops/geometry/convex_body.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

constexpr double kOnBorder = 1e-7;  // pixels: corners that a border made are so near to it

Place cross(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Place& a, const Place& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Place from_to(const Place& a, const Place& b) { return {b[0] - a[0], b[1] - a[1], b[2] - a[2]}; }

/// Brings corners of a convex polygon that is at right angles to `normal` in turn.
void put_in_turn(std::vector<Place>& corners, const Place& normal) {
  Place middle{}, aside{};
  for (const Place& corner : corners)
    for (size_t axis = 0; axis < 3; ++axis) middle[axis] += corner[axis] / static_cast<double>(corners.size());
  // Any direction that is not nearly the normal's.
  const auto least = [](double a, double b) { return std::abs(a) < std::abs(b); };
  aside[static_cast<size_t>(std::ranges::min_element(normal, least) - normal.begin())] = 1;
  const Place u = cross(normal, aside), v = cross(normal, u);
  std::ranges::sort(corners, {}, [&](const Place& corner) {
    const Place at = from_to(middle, corner);
    return std::atan2(dot(at, v), dot(at, u));
  });
}

}  // namespace

double depth_in(const HalfSpace& half_space, const Place& place) {
  return half_space[0] * place[0] + half_space[1] * place[1] + half_space[2] * place[2] + half_space[3];
}

void cut(std::vector<Place>& polygon, const HalfSpace& half_space) {
  const auto inside = [&](const Place& place) { return depth_in(half_space, place) >= 0; };
  if (std::ranges::all_of(polygon, inside)) return;
  std::vector<Place> kept;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Place &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double a = depth_in(half_space, from), b = depth_in(half_space, to);
    if (a >= 0) kept.push_back(from);
    if ((a >= 0) == (b >= 0)) continue;
    Place& border = kept.emplace_back();
    for (size_t axis = 0; axis < 3; ++axis) border[axis] = from[axis] + a / (a - b) * (to[axis] - from[axis]);
  }
  polygon.swap(kept);
}

ConvexBody::ConvexBody(const Place& low, const Place& high) {
  for (size_t axis = 0; axis < 3; ++axis)
    for (const Place* side : {&low, &high}) {
      std::vector<Place>& face = faces_.emplace_back(4, *side);
      const size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (size_t i = 0; i < 4; ++i) {
        face[i][u] = i == 0 || i == 3 ? low[u] : high[u];
        face[i][v] = i < 2 ? low[v] : high[v];
      }
    }
}

void ConvexBody::cut(const HalfSpace& half_space) {
  const auto inside = [&](const Place& corner) { return depth_in(half_space, corner) >= 0; };
  if (std::ranges::all_of(faces_, [&](const auto& face) { return std::ranges::all_of(face, inside); })) return;
  std::vector<Place> opened;
  for (std::vector<Place>& face : faces_) {
    penstock::cut(face, half_space);
    for (const Place& corner : face)
      if (depth_in(half_space, corner) < kOnBorder) opened.push_back(corner);
  }
  std::erase_if(faces_, [](const auto& face) { return face.empty(); });
  if (opened.size() < 3) return;
  put_in_turn(opened, {half_space[0], half_space[1], half_space[2]});
  faces_.push_back(std::move(opened));
}

double ConvexBody::volume() const {
  double six_times = 0;  // of pyramids from one corner to the triangles of each face
  for (const std::vector<Place>& face : faces_)
    for (size_t i = 2; i < face.size(); ++i) {
      const Place& top = faces_[0][0];
      six_times += std::abs(dot(from_to(top, face[0]), cross(from_to(top, face[i - 1]), from_to(top, face[i]))));
    }
  return six_times / 6;
}

std::vector<Place> ConvexBody::corners() const {
  std::vector<Place> all;
  for (const std::vector<Place>& face : faces_) all.insert(all.end(), face.begin(), face.end());
  return all;
}

}  // namespace penstock
