// Whether a sanitizer watches: what its own locks do at a fork is not Penstock's.
#pragma once

namespace penstock::test {

#ifdef PENSTOCK_SANITIZED  // by CMake: compilers do not agree on how they say so themselves
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace penstock::test
