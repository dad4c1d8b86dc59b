// All that a C++ program needs: graphs made by typed calls, pipelines that run them, tensors and errors.
#pragma once

#include <penstock/fn.h>
#include <penstock/gpu.h>
#include <penstock/memory.h>
#include <penstock/pipeline.h>
