#include "pipeline/run_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// How the data set is split may change between save and restore (that is what resuming elsewhere means), and so may
// where it lies: its fingerprint is compared instead. Checkpoints change no pixels. A function of the program (`id`)
// has another number in each run.
const std::vector<std::string> kMayChange = {"shard_id", "num_shards",  "file_root",      "path",
                                             "id",       "checkpoints", "checkpoint_file"};

/// FNV-1a: stable from build to build, unlike std::hash.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

std::string signature_of(const PlannedNode& node) {
  std::string text;
  for (const auto& [name, value] : node.asked.args) {
    const ArgSpec* spec = node.schema->arg(name);
    const bool ignored = spec && (spec->flags & kIgnored);
    if (!ignored && std::find(kMayChange.begin(), kMayChange.end(), name) == kMayChange.end())
      text += name + "=" + to_string(value) + ";";
  }
  for (int v : node.inputs) text += fmt::format("{},", v);
  for (size_t i = 0; i < node.arg_inputs.size(); ++i)
    text += fmt::format("{}<-{};", node.spec.arg_inputs[i], node.arg_inputs[i]);
  return fmt::format("{}:{:08x}", node.asked.op, hash_of(text) & 0xffffffffu);
}

json signatures(const Plan& plan) {
  json list = json::array();
  for (const PlannedNode& node : plan.nodes) list.push_back(signature_of(node));
  return list;
}

void refuse_other_operators(const Plan& plan, const json& saved) {
  const json mine = signatures(plan);
  for (size_t i = 0; i < std::max(saved.size(), mine.size()); ++i) {
    const std::string theirs = i < saved.size() ? saved[i].get<std::string>() : "nothing:";
    const std::string ours = i < mine.size() ? mine[i].get<std::string>() : "nothing:";
    if (theirs == ours) continue;
    const std::string before = theirs.substr(0, theirs.find(':')), now = ours.substr(0, ours.find(':'));
    if (before == now)
      fail<ArgumentError>(
          "the state is of a pipeline whose operator {} ({}) had other arguments or inputs; restore it "
          "into the pipeline that saved it",
          i, now);
    fail<ArgumentError>("the state is of a pipeline with {} where this one has {} (operator {})", before, now, i);
  }
}

/// Tells orders of equal data sets apart: samples that one has given are not those that another would have given.
std::string order_name(const order::Spec& order) {
  return order.shuffle ? fmt::format("{:016x}", order.seed) : "as listed";
}

}  // namespace

std::string save_run_state(const Plan& plan, const PipelineOptions& options, const std::vector<order::Spec>& orders,
                           int64_t first, int64_t taken) {
  json state = {{"penstock", kVersion}, {"iteration", taken}, {"seed", options.seed}, {"operators", signatures(plan)}};
  for (size_t r = 0; r < orders.size(); ++r) {
    const auto& node = plan.nodes[static_cast<size_t>(plan.readers[r])];
    state["readers"].push_back({{"size", orders[r].size},
                                {"data", fmt::format("{:016x}", node.reader->fingerprint())},
                                {"order", order_name(orders[r])},
                                {"seen", order::to_integers(order::progress_after(orders[r], taken - first))}});
  }
  return state.dump();
}

RunState read_run_state(const Plan& plan, const PipelineOptions& options, const std::vector<order::Spec>& orders,
                        const std::string& text) {
  try {
    const json state = json::parse(text);
    PENSTOCK_CHECK(state.at("penstock") == kVersion, ArgumentError, "the state has version {}, this Penstock reads {}",
                   state.at("penstock").dump(), kVersion);
    refuse_other_operators(plan, state.at("operators"));
    const auto seed = state.at("seed").get<int64_t>();
    PENSTOCK_CHECK(seed == options.seed, ArgumentError,
                   "the state is of a run with seed {}, this pipeline has seed {}; pass seed={}", seed, options.seed,
                   seed);
    RunState result{.iteration = state.at("iteration").get<int64_t>(), .progress = {}};
    for (size_t r = 0; r < orders.size(); ++r) {
      const json& saved = state.at("readers").at(r);
      const auto& node = plan.nodes[static_cast<size_t>(plan.readers[r])];
      PENSTOCK_CHECK(saved.at("size") == orders[r].size, ArgumentError,
                     "the data set of {} had {} samples when the state was saved and has {} now", node.label(),
                     saved.at("size").dump(), orders[r].size);
      PENSTOCK_CHECK(saved.at("data") == fmt::format("{:016x}", node.reader->fingerprint()), ArgumentError,
                     "the data set of {} has other files or labels than when the state was saved", node.label());
      PENSTOCK_CHECK(saved.at("order") == order_name(orders[r]), ArgumentError,
                     "{} had another shuffle_seed when the state was saved: other samples have been seen",
                     node.label());
      const auto seen = saved.at("seen").get<std::vector<int64_t>>();
      result.progress.push_back(order::progress_from(seen));
    }
    return result;
  } catch (const json::exception& e) {
    fail<DataError>("this is not a state that Penstock saved: {}", e.what());
  }
}

}  // namespace penstock
