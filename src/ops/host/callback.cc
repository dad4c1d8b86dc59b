#include "ops/host/callback.h"

#include <map>
#include <memory>
#include <mutex>

#include "core/check.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct Table {
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<const Callback>> kept;
  int64_t next = 1;
};

Table& table() {
  static Table* const instance = new Table;  // never destroyed: workers may outlive static destruction
  return *instance;
}

struct CallbackArgs {
  int64_t id = 0;
  int64_t num_outputs = 1;
};

class CallbackOperator final : public BatchOperator<CallbackArgs> {
 public:
  CallbackOperator() { traits_.serial = true; }
  void setup() override { function_ = find_callback(constants().id); }
  void run(BatchContext& batch) const override {
    batch.outputs.clear();
    (*function_)(batch);
    const auto made = static_cast<int64_t>(batch.outputs.size());
    PENSTOCK_CHECK(made == constants().num_outputs, DataError, "the function gave {} outputs, num_outputs={} was said",
                   made, constants().num_outputs);
    pass_sources_on(batch.inputs, batch.outputs);
  }

 private:
  std::shared_ptr<const Callback> function_;
};

int outputs_of(const OpSpec& spec) {
  CallbackArgs args;
  take_constant(spec, "num_outputs", args.num_outputs);
  return static_cast<int>(args.num_outputs);
}

}  // namespace

int64_t keep_callback(Callback callback) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.kept.emplace(all.next, std::make_shared<const Callback>(std::move(callback)));
  return all.next++;
}

std::shared_ptr<const Callback> find_callback(int64_t id) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kept.find(id);
  PENSTOCK_CHECK(found != all.kept.end(), ArgumentError,
                 "there is no function number {} in this process; graphs that call back into a program cannot be moved "
                 "to another one",
                 id);
  return found->second;
}

void release_callback(int64_t id) {
  std::shared_ptr<const Callback> last;  // destroyed after the lock is open: it may run code of the program
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kept.find(id);
  if (found == all.kept.end()) return;
  last = std::move(found->second);
  all.kept.erase(found);
}

void pass_sources_on(std::span<const TensorList* const> inputs, std::span<TensorList> outputs) {
  for (const TensorList* input : inputs) {
    const auto named = static_cast<int64_t>(input->sources().texts().size());
    if (named == 0) continue;
    for (TensorList& output : outputs)
      if (output.size() == named && output.sources().texts().empty()) output.set_sources(input->sources());
  }
}

[[gnu::cold]] void register_callback(Registry& r) {
  r.add<CallbackOperator>("callback")
      .doc("Calls a function of the program with whole batches.")
      .kind(OpKind::kBatch)
      .input("inputs", {}, "Handed to the function as they are.")
      .optional()
      .variadic()
      .arg("id", &CallbackArgs::id, "Number of the function.", kRequired)
      .example({{"id", ExampleData{"function"}}})
      .arg("num_outputs", &CallbackArgs::num_outputs, "Number of batches that the function gives.")
      .count_outputs(outputs_of)
      .host_only("calls a function of the program")
      .hidden()
      .keep();
}

}  // namespace penstock
