#include "core/check.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct ConsumerStepArgs {
  int64_t id = 0;
  int64_t num_outputs = 1;
};

class ConsumerStepOperator final : public BatchOperator<ConsumerStepArgs> {
 public:
  void setup() override { traits_.consumer_step = constants().id; }
  void run(BatchContext&) const override {
    fail<InternalError>("a batch that is to be handed over was given to a worker");
  }
};

int outputs_of(const OpSpec& spec) {
  ConsumerStepArgs args;
  take_constant(spec, "num_outputs", args.num_outputs);
  return static_cast<int>(args.num_outputs);
}

}  // namespace

[[gnu::cold]] void register_consumer_step(Registry& r) {
  r.add<ConsumerStepOperator>("consumer_step")
      .doc("Hands whole batches to the thread that takes them, and goes on with what it gives back.")
      .kind(OpKind::kBatch)
      .input("inputs", {}, "Handed over as they are.")
      .optional()
      .variadic()
      .arg("id", &ConsumerStepArgs::id, "By which that thread knows what to do.", kRequired)
      .arg("num_outputs", &ConsumerStepArgs::num_outputs, "Number of batches that it gives back.")
      .count_outputs(outputs_of)
      .example({{"id", ExampleData{"function"}}})
      .host_only("waits for the program")
      .hidden()
      .keep();
}

}  // namespace penstock
