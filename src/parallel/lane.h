// Where one device's work is queued.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/parallel.h>

#include "device/device.h"

namespace penstock::parallel {

struct Lane {
  DeviceId id;
  device::Device* gpu = nullptr;  ///< null: a virtual device, whose work is done when it has been asked for
  std::shared_ptr<void> stream;
  std::shared_ptr<void> memory;  ///< keeps what is let go for the next call
};

/// One lane a device. @throws ArgumentError for devices that Group refuses.
std::vector<Lane> open_lanes(std::span<const DeviceId> devices);

/// That of a GPU among `lanes`, or one opened for it.
Lane lane_of(int gpu, std::span<const Lane> lanes);

/// The host waits for what is queued by now.
void synchronize(const Lane& lane);

}  // namespace penstock::parallel
