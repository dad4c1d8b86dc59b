/// @file
/// All that a C++ program needs: graphs made by typed calls, pipelines that run them, tensors and errors.
#pragma once

/// @namespace penstock  Graphs, pipelines, tensors and errors.
/// @namespace penstock::fn  A function for each operator, and a struct of its arguments.
/// @namespace penstock::parallel  One callable on several devices.

#include <penstock/fn.h>
#include <penstock/gpu.h>
#include <penstock/memory.h>
#include <penstock/pipeline.h>
