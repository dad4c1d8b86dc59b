// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/fn/audio/audio_resample.h>
#include <penstock/fn/audio/mel_filter_bank.h>
#include <penstock/fn/audio/mfcc.h>
#include <penstock/fn/audio/nonsilent_region.h>
#include <penstock/fn/audio/power_spectrum.h>
#include <penstock/fn/audio/preemphasis_filter.h>
#include <penstock/fn/audio/spectrogram.h>
#include <penstock/fn/audio/to_decibels.h>
