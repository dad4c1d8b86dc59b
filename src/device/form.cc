#include "device/form.h"

namespace penstock::device {

void launch_gather(const Launch& l) {
  l.device.backend().gather(l.stream, l.in, l.out, reinterpret_cast<const GatherJob*>(l.jobs), l.count,
                            static_cast<int64_t>(l.most_elements));
}

void launch_resample(const Launch& l) {
  l.device.backend().resample(l.stream, l.in, l.out, reinterpret_cast<const ResampleJob*>(l.jobs), l.count,
                              static_cast<int64_t>(l.most_elements));
}

}  // namespace penstock::device
