// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/color/brightness.h>
#include <penstock/fn/color/brightness_contrast.h>
#include <penstock/fn/color/clahe.h>
#include <penstock/fn/color/color_space_conversion.h>
#include <penstock/fn/color/color_twist.h>
#include <penstock/fn/color/contrast.h>
#include <penstock/fn/color/debayer.h>
#include <penstock/fn/color/equalize.h>
#include <penstock/fn/color/hsv.h>
#include <penstock/fn/color/hue.h>
#include <penstock/fn/color/lookup_table.h>
#include <penstock/fn/color/saturation.h>
