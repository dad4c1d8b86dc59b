// Functions of real numbers: integers are computed in float.
#include "kernels/arithmetic/blocks.h"
#include "kernels/arithmetic/functors.h"

namespace penstock::kernels {
namespace {

using namespace functors;

constexpr Function kFunctions[] = {
    {Code::kFabs, "fabs", "fabs", 1, Family::kFloat, code_of<Fabs, Floats>},
    {Code::kFloor, "floor", "floor", 1, Family::kFloat, code_of<Floor, Floats>},
    {Code::kCeil, "ceil", "ceil", 1, Family::kFloat, code_of<Ceil, Floats>},
    {Code::kSqrt, "sqrt", "sqrt", 1, Family::kFloat, code_of<Sqrt, Floats>},
    {Code::kCbrt, "cbrt", "cbrt", 1, Family::kFloat, code_of<Cbrt, Floats>},
    {Code::kExp, "exp", "exp", 1, Family::kFloat, code_of<Exp, Floats>},
    {Code::kLog, "log", "log", 1, Family::kFloat, code_of<Log, Floats>},
    {Code::kLog2, "log2", "log2", 1, Family::kFloat, code_of<Log2, Floats>},
    {Code::kLog10, "log10", "log10", 1, Family::kFloat, code_of<Log10, Floats>},
    {Code::kSin, "sin", "sin", 1, Family::kFloat, code_of<Sin, Floats>},
    {Code::kCos, "cos", "cos", 1, Family::kFloat, code_of<Cos, Floats>},
    {Code::kTan, "tan", "tan", 1, Family::kFloat, code_of<Tan, Floats>},
    {Code::kAsin, "asin", "asin", 1, Family::kFloat, code_of<Asin, Floats>},
    {Code::kAcos, "acos", "acos", 1, Family::kFloat, code_of<Acos, Floats>},
    {Code::kAtan, "atan", "atan", 1, Family::kFloat, code_of<Atan, Floats>},
    {Code::kSinh, "sinh", "sinh", 1, Family::kFloat, code_of<Sinh, Floats>},
    {Code::kCosh, "cosh", "cosh", 1, Family::kFloat, code_of<Cosh, Floats>},
    {Code::kTanh, "tanh", "tanh", 1, Family::kFloat, code_of<Tanh, Floats>},
    {Code::kAsinh, "asinh", "asinh", 1, Family::kFloat, code_of<Asinh, Floats>},
    {Code::kAcosh, "acosh", "acosh", 1, Family::kFloat, code_of<Acosh, Floats>},
    {Code::kAtanh, "atanh", "atanh", 1, Family::kFloat, code_of<Atanh, Floats>},
    {Code::kRsqrt, "rsqrt", "rsqrt", 1, Family::kFloat, code_of<Rsqrt, Floats>},
    {Code::kDivide, "fdiv", "/", 2, Family::kFloat, code_of<Divide, Floats>},
    {Code::kPower, "fpow", "fpow", 2, Family::kFloat, code_of<Power, Floats>},
    {Code::kAtan2, "atan2", "atan2", 2, Family::kFloat, code_of<Atan2, Floats>},
};

}  // namespace

std::span<const Function> float_functions() { return kFunctions; }

}  // namespace penstock::kernels
