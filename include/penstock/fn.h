// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
// fn::resize(graph, images, {.mode = "stretch", .size = {224, 224}}): arguments are named, in alphabetical
// order; what is left out has the default that docs/reference gives.
#pragma once

#include <penstock/fn/audio.h>
#include <penstock/fn/boxes.h>
#include <penstock/fn/color.h>
#include <penstock/fn/decoders.h>
#include <penstock/fn/filters.h>
#include <penstock/fn/geometry.h>
#include <penstock/fn/image.h>
#include <penstock/fn/math.h>
#include <penstock/fn/mix.h>
#include <penstock/fn/noise.h>
#include <penstock/fn/random.h>
#include <penstock/fn/readers.h>
#include <penstock/fn/reductions.h>
#include <penstock/fn/segmentation.h>
#include <penstock/fn/sequence.h>
#include <penstock/fn/tensor.h>
#include <penstock/fn/transforms.h>
