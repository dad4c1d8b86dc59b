#include "kernels/sampled/maps.h"

#include "kernels/sampled/sampled.h"

namespace penstock::kernels {

template <class Map>
void run_mapped(const SampledJob<Map>& job, DType dtype) {
  run_sampled_pictures(job, dtype, dtype);
}

template void run_mapped(const SampledJob<PerspectiveMap>&, DType);
template void run_mapped(const SampledJob<TableMap>&, DType);
template void run_mapped(const SampledJob<WaveMap>&, DType);
template void run_mapped(const SampledJob<SphereMap>&, DType);
template void run_mapped(const SampledJob<JitterMap>&, DType);

}  // namespace penstock::kernels
