// The middle one of a few elements, by comparisons whose order does not depend on the values: vectors and GPUs do it.
#pragma once

namespace penstock::kernels {

// Inlined whatever happens: vectors of an instruction set that only the caller is compiled for cannot be passed.
#define PENSTOCK_INLINED [[gnu::always_inline]] inline constexpr

/// Puts the least of the first `k` to the front and the greatest to their end.
template <int k, class T, class Sort>
PENSTOCK_INLINED void extremes_out(T* set, const Sort& sort) {
  for (int i = 0; i < k / 2; ++i) sort(set[i], set[k - 1 - i]);
  for (int i = 1; i < (k + 1) / 2; ++i) sort(set[0], set[i]);
  for (int i = k / 2; i < k - 1; ++i) sort(set[i], set[k - 1]);
}

/// Leaves the middle one of n elements in set[1]. It is none of the extremes of any n / 2 + 2 of them: those can be
/// forgotten, and others take their place, until three are left. `load(to, i)` gets element i, `sort` exchanges two
/// unless the first is less.
template <int n, int k, class T, class Load, class Sort>
PENSTOCK_INLINED void middle_of(T* set, const Load& load, const Sort& sort) {
  if constexpr (k == n / 2 + 2)
    for (int i = 0; i < k; ++i) load(set[i], i);
  extremes_out<k>(set, sort);
  if constexpr (k > 3) {
    load(set[0], n - k + 3);
    middle_of<n, k - 1>(set, load, sort);
  }
}

#undef PENSTOCK_INLINED

}  // namespace penstock::kernels
