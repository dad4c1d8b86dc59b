// In the place of src/cuda/support/threads.cuh.
#pragma once

#include "gpu_on_threads/threads.h"
