#include "pipeline/run_state.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/check.h"
#include "schema/registry.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// How the data set is split may change between save and restore (that is what resuming elsewhere means), and so may
// where it lies: its fingerprint is compared instead. Checkpoints change no pixels. A function of the program (`id`)
// has another number in each run.
const std::vector<std::string> kMayChange = {"shard_id", "num_shards",  "file_root",      "path",
                                             "id",       "checkpoints", "checkpoint_file"};

// Arguments of readers that the state holds in another way: lists of a number for each sample in the fingerprint of the
// data set, and seeds, as far as they matter, in the name of the order.
const std::vector<std::string> kHeldElsewhere = {"subset", "weights", "classes", "seed"};

/// FNV-1a: stable from build to build, unlike std::hash.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Arguments that must be the same when a state is loaded.
std::string arguments_of(const OpNode& node) {
  const OpSchema& schema = registry().at(node.op);
  std::string text;
  for (const auto& [name, value] : node.args) {
    const ArgSpec* spec = schema.arg(name);
    const bool ignored = spec && (spec->flags & kIgnored);
    const bool listed = schema.kind == OpKind::kReader && holds(kHeldElsewhere, name);
    if (!ignored && !listed && !holds(kMayChange, name)) text += name + "=" + to_string(value) + ";";
  }
  return text;
}

std::string arguments_of(const std::vector<MixedReader>& parts) {
  std::string text;
  for (const MixedReader& part : parts)
    text += part.node.op + "(" + arguments_of(part.node) + arguments_of(part.parts) + ");";
  return text;
}

std::string signature_of(const PlannedNode& node) {
  std::string text = arguments_of(node.asked) + arguments_of(node.parts);
  for (int v : node.inputs) text += fmt::format("{},", v);
  for (size_t i = 0; i < node.arg_inputs.size(); ++i)
    text += fmt::format("{}<-{};", node.spec.arg_inputs[i], node.arg_inputs[i]);
  if (node.when >= 0) text += fmt::format("when {};", node.when);
  return fmt::format("{}:{:08x}", node.asked.op, hash_of(text) & 0xffffffffu);
}

std::vector<std::string> signatures(const Plan& plan) {
  std::vector<std::string> list;
  for (const PlannedNode& node : plan.nodes) list.push_back(signature_of(node));
  return list;
}

/// What a state says under that name.
const json& member(const json& state, const char* name) {
  PENSTOCK_CHECK(state.is_object() && state.contains(name), ArgumentError,
                 "this is not a state that Penstock saved: it has no \"{}\"", name);
  return state[name];
}

/// A value in a few words: it may be deep and long.
std::string brief(const json& found) {
  if (found.is_structured()) return fmt::format("{} of {}", found.is_array() ? "a list" : "an object", found.size());
  return fmt::format("{:.100}", found.dump());
}

[[noreturn]] void refuse(const char* name, const json& found, const std::string& wanted) {
  fail<ArgumentError>("this is not a state that Penstock saved: its \"{}\" is {}, where {} belongs", name, brief(found),
                      wanted);
}

const json& list_in(const json& state, const char* name, const char* of) {
  const json& found = member(state, name);
  if (!found.is_array()) refuse(name, found, fmt::format("a list of {}", of));
  return found;
}

/// `found` of the list or member of that name.
int64_t whole(const json& found, const char* name, int64_t least) {
  const bool too_large = found.is_number_unsigned() && !std::in_range<int64_t>(found.get<uint64_t>());
  if (!found.is_number_integer() || too_large || found.get<int64_t>() < least)
    refuse(name, found, fmt::format("a whole number from {} to {}", least, std::numeric_limits<int64_t>::max()));
  return found.get<int64_t>();
}

std::string text_of(const json& found, const char* name) {
  if (!found.is_string()) refuse(name, found, "a text");
  return found.get<std::string>();
}

int64_t whole_in(const json& state, const char* name, int64_t least) { return whole(member(state, name), name, least); }
std::string text_in(const json& state, const char* name) { return text_of(member(state, name), name); }

void refuse_other_operators(const Plan& plan, const std::vector<std::string>& saved) {
  const std::vector<std::string> mine = signatures(plan);
  for (size_t i = 0; i < std::max(saved.size(), mine.size()); ++i) {
    const std::string& theirs = i < saved.size() ? saved[i] : "nothing:";
    const std::string& ours = i < mine.size() ? mine[i] : "nothing:";
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
  if (!order.shuffle) return "as listed";
  if (order.buffer == 0) return fmt::format("{:016x}", order.seed);
  return fmt::format("{:016x}, {} at a time{}", order.seed, order.buffer, order.listed ? " of a permuted list" : "");
}

order::Progress progress_of(const json& saved, const PlannedNode& reader, const order::Spec& order) {
  const int64_t size = whole_in(saved, "size", 0);
  PENSTOCK_CHECK(size == order.size, ArgumentError,
                 "the data set of {} had {} samples when the state was saved and has {} now", reader.label(), size,
                 order.size);
  PENSTOCK_CHECK(text_in(saved, "data") == fmt::format("{:016x}", reader.reader->fingerprint()), ArgumentError,
                 "the data set of {} has other files or labels than when the state was saved, or another subset, other "
                 "weights or classes",
                 reader.label());
  PENSTOCK_CHECK(text_in(saved, "order") == order_name(order), ArgumentError,
                 "{} had another shuffle_seed or shuffle_buffer when the state was saved: other samples have been seen",
                 reader.label());
  std::vector<int64_t> seen;
  for (const json& number : list_in(saved, "seen", "whole numbers")) seen.push_back(whole(number, "seen", 0));
  order::Spec resumed = order;
  resumed.start = order::progress_from(seen);
  try {
    order::check(resumed);
  } catch (Error& e) {
    e.add_context(reader.context());
    throw;
  }
  return resumed.start;
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
  const json state = json::parse(text, nullptr, /*allow_exceptions=*/false);
  PENSTOCK_CHECK(!state.is_discarded(), ArgumentError, "this is not a state that Penstock saved: it is no JSON");
  const int64_t version = whole_in(state, "penstock", 0);
  PENSTOCK_CHECK(version == kVersion, ArgumentError, "the state has version {}, this Penstock reads {}", version,
                 kVersion);
  std::vector<std::string> operators;
  for (const json& one : list_in(state, "operators", "texts")) operators.push_back(text_of(one, "operators"));
  refuse_other_operators(plan, operators);
  const int64_t seed = whole_in(state, "seed", std::numeric_limits<int64_t>::min());
  PENSTOCK_CHECK(seed == options.seed, ArgumentError,
                 "the state is of a run with seed {}, this pipeline has seed {}; pass seed={}", seed, options.seed,
                 seed);
  RunState result{.iteration = whole_in(state, "iteration", 0), .progress = {}};
  if (orders.empty()) return result;
  const json& readers = list_in(state, "readers", "readers");
  if (readers.size() != orders.size()) refuse("readers", readers, fmt::format("a list of {}", orders.size()));
  for (size_t r = 0; r < orders.size(); ++r)
    result.progress.push_back(progress_of(readers[r], plan.nodes[static_cast<size_t>(plan.readers[r])], orders[r]));
  return result;
}

}  // namespace penstock
