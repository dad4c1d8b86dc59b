#include <nanobind/nanobind.h>

#include "callback.h"
#include "errors.h"
#include "gpu.h"
#include "graph.h"
#include "jax_mailbox.h"
#include "jax_outputs.h"
#include "jax_source.h"
#include "memory.h"
#include "packing.h"
#include "pipeline.h"
#include "remote.h"
#include "replicas.h"
#include "tables.h"
#include "tensor.h"
#include "tools.h"
#include "unchanged.h"

NB_MODULE(_core, m) {
  using namespace penstock::bindings;
  // Batches are often still alive when the interpreter ends; that is no mistake of the user's.
  nb::set_leak_warnings(false);
  bind_errors(m);
  bind_tensor(m);
  bind_tensor_list(m);
  bind_gpu(m);
  bind_memory(m);
  bind_replicas(m);
  bind_unchanged(m);
  bind_graph(m);
  bind_callback(m);
  bind_pipeline(m);
  bind_packing(m);
  bind_remote(m);
  bind_tables(m);
  bind_jax_outputs(m);
#ifdef PENSTOCK_HAS_XLA
  bind_jax_mailbox(m);
  bind_jax_source(m);
#endif
  bind_tools(m);
}
