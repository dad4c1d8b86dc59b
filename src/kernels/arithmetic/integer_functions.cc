// Functions that keep the operands' type.
#include "core/check.h"
#include "kernels/arithmetic/blocks.h"
#include "kernels/arithmetic/functors.h"

namespace penstock::kernels {
namespace {

using namespace functors;

template <class F>
struct Checked {
  template <std::floating_point T>
  T operator()(T a, T b) const {
    return F{}(a, b);
  }
  template <Integer T>
  T operator()(T a, T b) const {
    PENSTOCK_CHECK(b != 0, DataError, kDivisionByZero);
    return F{}(a, b);
  }
};

constexpr Function kFunctions[] = {
    {Code::kPlus, "plus", "+", 1, Family::kProduct, code_of<Plus, All>},
    {Code::kMinus, "minus", "-", 1, Family::kArithmetic, code_of<Minus, Numbers>},
    {Code::kAbs, "abs", "abs", 1, Family::kArithmetic, code_of<Abs, Numbers>},
    {Code::kAdd, "add", "+", 2, Family::kArithmetic, code_of<Add, Numbers>},
    {Code::kSub, "sub", "-", 2, Family::kArithmetic, code_of<Sub, Numbers>},
    {Code::kMul, "mul", "*", 2, Family::kProduct, code_of<Mul, All>},
    {Code::kDiv, "div", "//", 2, Family::kArithmetic, code_of<Checked<Div>, Numbers>},
    {Code::kMod, "mod", "%", 2, Family::kArithmetic, code_of<Checked<Mod>, Numbers>},
    {Code::kPow, "pow", "**", 2, Family::kArithmetic, code_of<Pow, Numbers>},
    {Code::kMin, "min", "min", 2, Family::kArithmetic, code_of<Min, Numbers>},
    {Code::kMax, "max", "max", 2, Family::kArithmetic, code_of<Max, Numbers>},
    {Code::kClamp, "clamp", "clamp", 3, Family::kArithmetic, code_of<Clamp, Numbers>},
    {Code::kBitNot, "bitnot", "~", 1, Family::kBitwise, code_of<BitNot, Bits>},
    {Code::kBitAnd, "bitand", "&", 2, Family::kBitwise, code_of<BitAnd, Bits>},
    {Code::kBitOr, "bitor", "|", 2, Family::kBitwise, code_of<BitOr, Bits>},
    {Code::kBitXor, "bitxor", "^", 2, Family::kBitwise, code_of<BitXor, Bits>},
    {Code::kShiftLeft, "lshift", "<<", 2, Family::kBitwise, code_of<ShiftLeft, Bits>},
    {Code::kShiftRight, "rshift", ">>", 2, Family::kBitwise, code_of<ShiftRight, Bits>},
};

}  // namespace

std::span<const Function> integer_functions() { return kFunctions; }

}  // namespace penstock::kernels
