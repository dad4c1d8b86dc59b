// One GPU, as the launchers of its kernels see it.
#pragma once

#include "cuda/runtime/current.h"
#include "cuda/runtime/green_contexts.h"

namespace penstock::cuda {

struct Gpu {
  explicit Gpu(int number) : id(number), context(number) {}
  const int id;
  PrimaryContext context;
  GreenContexts bounded;  ///< streams that have a part of its multiprocessors
};

}  // namespace penstock::cuda
