// The functions of arithmetic by number, as programs name them.
#pragma once

#include <cstdint>

namespace penstock::kernels {

enum class Code : uint8_t {
  // keep the operands' type
  kPlus,
  kMinus,
  kAbs,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kMin,
  kMax,
  kClamp,
  kBitNot,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  // of real numbers
  kFabs,
  kFloor,
  kCeil,
  kSqrt,
  kCbrt,
  kExp,
  kLog,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kRsqrt,
  kDivide,
  kPower,
  kAtan2,
  // give a bool
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

}  // namespace penstock::kernels
