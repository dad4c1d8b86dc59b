// One pass of the inverse cosine transform, over the arithmetic of a number or of a vector of numbers. No include guard
// and no namespace: a vector's arithmetic can only be inlined into code compiled for the same instruction set, so this
// is included once for plain numbers and once for each instruction set. Wants transform.h's constants.

/// One pass over eight values (or vectors of them), in place: `x` is what libjpeg calls in0..in7, and becomes the
/// results, shifted down by kShift with rounding. `Ops` gives the arithmetic, all of it modulo 2^16 or 2^32:
///   add, sub(V, V)          16 bits
///   scale(V)                shifted up by kConstantBits, 32 bits
///   pair<ka, kb>(a, b)      a * ka + b * kb, 32 bits
///   sum, difference(W, W)   32 bits
///   narrow<shift>(W)        rounded, shifted down, saturated to 16 bits
template <int kShift, class Ops, class V>
constexpr void inverse_pass(const Ops& ops, V (&x)[8]) {
  // The products of the original's rotations, multiplied out, so that each is a sum of two.
  const auto even2 = ops.template pair<4433, 4433 - 15137>(x[2], x[6]);
  const auto even3 = ops.template pair<4433 + 6270, 4433>(x[2], x[6]);
  const auto even0 = ops.scale(ops.add(x[0], x[4])), even1 = ops.scale(ops.sub(x[0], x[4]));
  const auto t0 = ops.sum(even0, even3), t3 = ops.difference(even0, even3);
  const auto t1 = ops.sum(even1, even2), t2 = ops.difference(even1, even2);

  const V z3 = ops.add(x[7], x[3]), z4 = ops.add(x[5], x[1]);
  const auto w3 = ops.template pair<9633 - 16069, 9633>(z3, z4);
  const auto w4 = ops.template pair<9633, 9633 - 3196>(z3, z4);
  const auto odd0 = ops.sum(ops.template pair<2446 - 7373, -7373>(x[7], x[1]), w3);
  const auto odd1 = ops.sum(ops.template pair<16819 - 20995, -20995>(x[5], x[3]), w4);
  const auto odd2 = ops.sum(ops.template pair<-20995, 25172 - 20995>(x[5], x[3]), w3);
  const auto odd3 = ops.sum(ops.template pair<-7373, 12299 - 7373>(x[7], x[1]), w4);

  x[0] = ops.template narrow<kShift>(ops.sum(t0, odd3));
  x[7] = ops.template narrow<kShift>(ops.difference(t0, odd3));
  x[1] = ops.template narrow<kShift>(ops.sum(t1, odd2));
  x[6] = ops.template narrow<kShift>(ops.difference(t1, odd2));
  x[2] = ops.template narrow<kShift>(ops.sum(t2, odd1));
  x[5] = ops.template narrow<kShift>(ops.difference(t2, odd1));
  x[3] = ops.template narrow<kShift>(ops.sum(t3, odd0));
  x[4] = ops.template narrow<kShift>(ops.difference(t3, odd0));
}
