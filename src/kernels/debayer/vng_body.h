// The method of Variable Number of Gradients (Chang, Cheung and Pang 1999), as OpenCV has it: colours are means over
// those of eight directions along which the sensor changes little. No `#pragma once`: the file is included in a
// namespace for single elements and once for each instruction set, whose functions cannot be inlined into those of
// another.
//
// Ops has what the code calculates with, single numbers or vectors of int16: `at(y, x)` is the element so many rows and
// columns away, below() has all bits set where it holds. No value is above 4080.

#define PENSTOCK_INLINED [[gnu::always_inline]] constexpr

/// What is found about an element or about each of a vector's. They see green, or none does.
template <bool kGreen, class Ops>
struct Vng {
  using V = typename Ops::V;
  const Ops& ops;
  V own, first, second, ways;  ///< doubled sums over directions below the threshold, and how many these are

  PENSTOCK_INLINED V apart(int ay, int ax, int by, int bx) const { return ops.apart(ops.at(ay, ax), ops.at(by, bx)); }
  PENSTOCK_INLINED V pair(int ay, int ax, int by, int bx) const { return ops.add(ops.at(ay, ax), ops.at(by, bx)); }
  PENSTOCK_INLINED V twice(int y, int x) const { return pair(y, x, y, x); }

  /// How much the three by three elements about (y, x) change from row to row.
  PENSTOCK_INLINED V vertical(int y, int x) const {
    const V middle = apart(y - 1, x, y + 1, x);
    return ops.add(ops.add(middle, middle),
                   ops.add(apart(y - 1, x - 1, y + 1, x - 1), apart(y - 1, x + 1, y + 1, x + 1)));
  }
  PENSTOCK_INLINED V horizontal(int y, int x) const {
    const V middle = apart(y, x - 1, y, x + 1);
    return ops.add(ops.add(middle, middle),
                   ops.add(apart(y - 1, x - 1, y - 1, x + 1), apart(y + 1, x - 1, y + 1, x + 1)));
  }
  /// And along the diagonal that goes up to the right (`side` 1) or to the left (-1).
  PENSTOCK_INLINED V diagonal(int y, int x, int side) const {
    const V middle = apart(y - 1, x + side, y + 1, x - side);
    return ops.add(middle, middle);
  }
  PENSTOCK_INLINED V wide_diagonal(int y, int x, int side) const {
    return ops.add(diagonal(y, x, side), ops.add(apart(y - 1, x, y, x - side), apart(y + 1, x, y, x + side)));
  }

  template <int kY, int kX>
  PENSTOCK_INLINED V gradient() const {
    constexpr int kSide = -kY * kX;
    if constexpr (kX == 0) return ops.add(vertical(0, 0), vertical(kY, 0));
    if constexpr (kY == 0) return ops.add(horizontal(0, 0), horizontal(0, kX));
    if constexpr (!kGreen) return ops.add(wide_diagonal(0, 0, kSide), wide_diagonal(kY, kX, kSide));
    return ops.add(ops.add(diagonal(0, 0, kSide), diagonal(kY, kX, kSide)),
                   ops.add(diagonal(kY, 0, kSide), diagonal(0, kX, kSide)));
  }

  PENSTOCK_INLINED void add(V& sum, V taken, V value) const { sum = ops.add(sum, ops.both(taken, value)); }

  /// Adds two elements, or as much, of each colour that lie in a direction.
  template <int kY, int kX>
  PENSTOCK_INLINED void take(V gradient, V threshold) {
    const V taken = ops.below(gradient, threshold);
    constexpr bool kStraight = kX == 0 || kY == 0;
    ways = ops.sub(ways, taken);
    if constexpr (kGreen) {
      add(own, taken, kStraight ? pair(2 * kY, 2 * kX, 0, 0) : twice(kY, kX));
      add(first, taken, kY == 0 ? twice(0, kX) : kX == 0 ? pair(2 * kY, -1, 2 * kY, 1) : pair(2 * kY, kX, 0, kX));
      add(second, taken, kX == 0 ? twice(kY, 0) : kY == 0 ? pair(-1, 2 * kX, 1, 2 * kX) : pair(kY, 0, kY, 2 * kX));
    } else {
      add(own, taken, pair(2 * kY, 2 * kX, 0, 0));
      add(first, taken,
          kStraight ? twice(kY, kX) : ops.half(ops.add(pair(kY - 1, kX, kY + 1, kX), pair(kY, kX - 1, kY, kX + 1))));
      add(second, taken, kX == 0 ? pair(kY, -1, kY, 1) : kY == 0 ? pair(-1, kX, 1, kX) : twice(kY, kX));
    }
  }

  /// What the element has, and half the mean difference of two sums.
  PENSTOCK_INLINED V shifted(V sum) const {
    const V shift = ops.half_mean(ops.sub(sum, own), ways);
    return ops.min(ops.max(ops.add(ops.at(0, 0), shift), ops.number(0)), ops.number(255));
  }

  /// @return  in `first` and `second` the colours that the element does not see: green and the opposite one; where it
  ///          sees green, that of its row and the other
  PENSTOCK_INLINED void find() {
    const V up = gradient<-1, 0>(), down = gradient<1, 0>(), left = gradient<0, -1>(), right = gradient<0, 1>();
    const V up_left = gradient<-1, -1>(), up_right = gradient<-1, 1>();
    const V down_left = gradient<1, -1>(), down_right = gradient<1, 1>();
    const V least = ops.min(ops.min(ops.min(up, down), ops.min(left, right)),
                            ops.min(ops.min(up_left, up_right), ops.min(down_left, down_right)));
    const V most = ops.max(ops.max(ops.max(up, down), ops.max(left, right)),
                           ops.max(ops.max(up_left, up_right), ops.max(down_left, down_right)));
    const V threshold = ops.add(least, ops.max(ops.half(most), ops.number(1)));
    own = first = second = ways = ops.number(0);
    take<-1, 0>(up, threshold), take<1, 0>(down, threshold), take<0, -1>(left, threshold), take<0, 1>(right, threshold);
    take<-1, -1>(up_left, threshold), take<-1, 1>(up_right, threshold);
    take<1, -1>(down_left, threshold), take<1, 1>(down_right, threshold);
    first = shifted(first), second = shifted(second);
  }
};

#undef PENSTOCK_INLINED
