#include "ops/host/callback.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Whether `text` is one of those that semicolons part in `all`.
bool has(std::string_view all, std::string_view text) {
  for (size_t begin = 0; begin <= all.size();) {
    const size_t end = std::min(all.find(';', begin), all.size());
    if (all.substr(begin, end - begin) == text) return true;
    begin = end + 1;
  }
  return false;
}

/// The files that samples of a batch of `size` come from, where inputs of that size name them: each once, parted by
/// semicolons.
Sources sources_of(std::span<const TensorList* const> inputs, int64_t size) {
  Sources first;
  std::vector<std::string> joined;
  for (const TensorList* input : inputs) {
    const std::span<const std::string_view> texts = input->sources().texts();
    if (texts.empty() || static_cast<int64_t>(texts.size()) != size) continue;
    if (first.texts().empty()) {
      first = input->sources();
      continue;
    }
    if (joined.empty()) {
      if (std::ranges::equal(first.texts(), texts)) continue;
      joined.assign(first.texts().begin(), first.texts().end());
    }
    for (size_t i = 0; i < joined.size(); ++i)
      if (!texts[i].empty() && !has(joined[i], texts[i]))
        joined[i].append(joined[i].empty() ? "" : ";").append(texts[i]);
  }
  return joined.empty() ? first : Sources(std::move(joined));
}

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
  for (TensorList& output : outputs)
    if (output.sources().texts().empty()) output.set_sources(sources_of(inputs, output.size()));
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
