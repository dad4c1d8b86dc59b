// Functions of real numbers: integers are computed in float.
#include <cmath>

#include "kernels/arithmetic/blocks.h"

namespace penstock::kernels {
namespace {

// clang-format off
struct Fabs { template <class T> T operator()(T x) const { return std::fabs(x); } };
struct Floor { template <class T> T operator()(T x) const { return std::floor(x); } };
struct Ceil { template <class T> T operator()(T x) const { return std::ceil(x); } };
struct Sqrt { template <class T> T operator()(T x) const { return std::sqrt(x); } };
struct Cbrt { template <class T> T operator()(T x) const { return std::cbrt(x); } };
struct Exp { template <class T> T operator()(T x) const { return std::exp(x); } };
struct Log { template <class T> T operator()(T x) const { return std::log(x); } };
struct Log2 { template <class T> T operator()(T x) const { return std::log2(x); } };
struct Log10 { template <class T> T operator()(T x) const { return std::log10(x); } };
struct Sin { template <class T> T operator()(T x) const { return std::sin(x); } };
struct Cos { template <class T> T operator()(T x) const { return std::cos(x); } };
struct Tan { template <class T> T operator()(T x) const { return std::tan(x); } };
struct Asin { template <class T> T operator()(T x) const { return std::asin(x); } };
struct Acos { template <class T> T operator()(T x) const { return std::acos(x); } };
struct Atan { template <class T> T operator()(T x) const { return std::atan(x); } };
struct Sinh { template <class T> T operator()(T x) const { return std::sinh(x); } };
struct Cosh { template <class T> T operator()(T x) const { return std::cosh(x); } };
struct Tanh { template <class T> T operator()(T x) const { return std::tanh(x); } };
struct Asinh { template <class T> T operator()(T x) const { return std::asinh(x); } };
struct Acosh { template <class T> T operator()(T x) const { return std::acosh(x); } };
struct Atanh { template <class T> T operator()(T x) const { return std::atanh(x); } };
struct Rsqrt { template <class T> T operator()(T x) const { return T{1} / std::sqrt(x); } };
struct Divide { template <class T> T operator()(T a, T b) const { return a / b; } };
struct Power { template <class T> T operator()(T a, T b) const { return std::pow(a, b); } };
struct Atan2 { template <class T> T operator()(T y, T x) const { return std::atan2(y, x); } };
// clang-format on

constexpr Function kFunctions[] = {
    {"fabs", "fabs", 1, Family::kFloat, code_of<Fabs, Floats>},
    {"floor", "floor", 1, Family::kFloat, code_of<Floor, Floats>},
    {"ceil", "ceil", 1, Family::kFloat, code_of<Ceil, Floats>},
    {"sqrt", "sqrt", 1, Family::kFloat, code_of<Sqrt, Floats>},
    {"cbrt", "cbrt", 1, Family::kFloat, code_of<Cbrt, Floats>},
    {"exp", "exp", 1, Family::kFloat, code_of<Exp, Floats>},
    {"log", "log", 1, Family::kFloat, code_of<Log, Floats>},
    {"log2", "log2", 1, Family::kFloat, code_of<Log2, Floats>},
    {"log10", "log10", 1, Family::kFloat, code_of<Log10, Floats>},
    {"sin", "sin", 1, Family::kFloat, code_of<Sin, Floats>},
    {"cos", "cos", 1, Family::kFloat, code_of<Cos, Floats>},
    {"tan", "tan", 1, Family::kFloat, code_of<Tan, Floats>},
    {"asin", "asin", 1, Family::kFloat, code_of<Asin, Floats>},
    {"acos", "acos", 1, Family::kFloat, code_of<Acos, Floats>},
    {"atan", "atan", 1, Family::kFloat, code_of<Atan, Floats>},
    {"sinh", "sinh", 1, Family::kFloat, code_of<Sinh, Floats>},
    {"cosh", "cosh", 1, Family::kFloat, code_of<Cosh, Floats>},
    {"tanh", "tanh", 1, Family::kFloat, code_of<Tanh, Floats>},
    {"asinh", "asinh", 1, Family::kFloat, code_of<Asinh, Floats>},
    {"acosh", "acosh", 1, Family::kFloat, code_of<Acosh, Floats>},
    {"atanh", "atanh", 1, Family::kFloat, code_of<Atanh, Floats>},
    {"rsqrt", "rsqrt", 1, Family::kFloat, code_of<Rsqrt, Floats>},
    {"fdiv", "/", 2, Family::kFloat, code_of<Divide, Floats>},
    {"fpow", "fpow", 2, Family::kFloat, code_of<Power, Floats>},
    {"atan2", "atan2", 2, Family::kFloat, code_of<Atan2, Floats>},
};

}  // namespace

std::span<const Function> float_functions() { return kFunctions; }

}  // namespace penstock::kernels
