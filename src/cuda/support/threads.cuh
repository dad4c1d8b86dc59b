// CUDA's own words for kernels, which the compiler brings. Kernels that tests have the host's threads play include
// this: tests/cpp/gpu_on_threads has another one, with the host's.
#pragma once
