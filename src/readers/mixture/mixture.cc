#include <algorithm>

#include "core/arena.h"
#include "core/check.h"
#include "readers/fingerprint.h"
#include "readers/reader.h"
#include "schema/mixes.h"
#include "schema/registry.h"
#include "schema/sample_runner.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct MixtureArgs : ReaderArgs {
  std::optional<std::vector<float>> ratios;
  int64_t num_outputs = 2;
  bool return_set = false;
};

/// A sample of a mixture.
struct OfPart {
  size_t part = 0;
  int64_t index = 0;
};

/// Does `action`; an error that it throws is one of that part.
template <class Action>
auto naming_part(const MixedPart& part, Action&& action) {
  try {
    return action();
  } catch (Error& e) {
    e.add_context(part.context);
    throw;
  }
}

/// All samples of all parts, one part after the other.
class Sets {
 public:
  explicit Sets(const std::vector<MixedPart>& parts) : parts_(&parts) {
    for (const MixedPart& part : parts)
      begins_.push_back(begins_.back() + naming_part(part, [&] { return part.reader().size(); }));
  }
  int64_t size() const { return begins_.back(); }
  OfPart find(int64_t index) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), index);
    const auto part = static_cast<size_t>(next - begins_.begin() - 1);
    return {part, index - begins_[part]};
  }
  void will_need(int64_t index) const {
    const auto [part, own] = find(index);
    (*parts_)[part].reader().will_need(own);
  }
  uint64_t fingerprint() const {
    Fingerprint all;
    for (const MixedPart& part : *parts_) all.add(part.reader().fingerprint());
    return all.value();
  }

 private:
  const std::vector<MixedPart>* parts_;
  std::vector<int64_t> begins_ = {0};
};

/// A part at work on a sample, with outputs of its own that are handed on.
class PartRunner {
 public:
  PartRunner(const MixedPart& part, size_t outputs) : part_(part), runner_(part.samples(), 0), outputs_(outputs) {
    runner_.set_arena(&arena_);
    for (Value& output : outputs_) runner_.add_output(&output);
  }
  void infer(const SampleId& id, int64_t index, Sample& s) {
    arena_.reset();
    std::ranges::fill(outputs_, Value{});
    pick_.index = index;
    id_ = id;
    id_.picks = {&pick_, 1};
    try {
      naming_part(part_, [&] { runner_.infer(id_); });
    } catch (Error&) {
      hand_on(s);  // an error looks there for where the sample came from
      throw;
    }
    hand_on(s);
  }
  void run(Sample& s) {
    for (size_t i = 0; i < outputs_.size(); ++i) outputs_[i] = s.out(static_cast<int>(i));
    naming_part(part_, [&] { runner_.run(); });
  }

 private:
  void hand_on(Sample& s) const {
    for (size_t i = 0; i < outputs_.size(); ++i) s.out(static_cast<int>(i)) = outputs_[i];
  }
  const MixedPart& part_;
  Arena arena_;
  SampleRunner runner_;
  std::vector<Value> outputs_;
  order::Pick pick_;
  SampleId id_;
};

/// What a worker keeps.
struct InWork : Local {
  std::vector<std::unique_ptr<PartRunner>> parts;  // those that it has met
  size_t part = 0;                                 // of the sample in work
};

class MixtureReader final : public ReaderOperator<MixtureArgs, Sets, InWork>, public Mixes {
 public:
  MixtureReader() { traits_.mixes = this; }
  void setup() override {}  // there are no parts yet
  void mix(std::vector<MixedPart> parts) override {
    parts_ = std::move(parts);
    ReaderOperator::setup();
  }
  void infer(Sample& s) const override {
    const auto [part, own] = data().find(index(s));
    InWork& work = state(s);
    work.part = part;
    work.parts.resize(parts_.size());
    std::unique_ptr<PartRunner>& runner = work.parts[part];
    if (!runner) runner = std::make_unique<PartRunner>(parts_[part], static_cast<size_t>(constants().num_outputs));
    runner->infer(s.id(), own, s);
    if (constants().return_set) s.out(s.num_outputs() - 1).tensor = {{DType::kInt32, {1}, {}}};
  }
  void run(Sample& s) const override {
    const size_t part = state(s).part;
    state(s).parts[part]->run(s);
    if (constants().return_set) *s.out(s.num_outputs() - 1).tensor.as<int32_t>() = static_cast<int32_t>(part);
  }

  void prefetch(int64_t index, int64_t later) const noexcept override {
    const auto [part, own] = data().find(index);
    const auto [later_part, later_own] = data().find(later);
    parts_[part].reader().prefetch(own, later_part == part ? later_own : own);
  }
  std::string place(int64_t index, std::string_view name) const override {
    const auto [part, own] = data().find(index);
    return parts_[part].reader().place(own, name);
  }
  std::string record(int64_t index) const override {
    const auto [part, own] = data().find(index);
    return parts_[part].reader().record(own);
  }

 protected:
  void check_args() const override {
    PENSTOCK_CHECK(!parts_.empty(), ArgumentError, "there is nothing to mix: give the outputs of at least one reader");
  }
  Sets open() const override { return Sets(parts_); }

  order::SelectionPtr select() const override {
    data();  // whose errors come before those of ratios
    std::vector<order::SelectionPtr> sets;
    std::vector<double> ratios;
    int64_t all = 0;
    for (const MixedPart& part : parts_) {
      sets.push_back(naming_part(part, [&] { return part.reader().selection(); }));
      if (!sets.back()) sets.back() = order::every(part.reader().size());
      ratios.push_back(static_cast<double>(sets.back()->size()));
      all += sets.back()->size();
    }
    const MixtureArgs& a = constants();
    if (a.ratios) ratios = decimals(*a.ratios);
    return order::mixture(std::move(sets), ratios, a.epoch_size.value_or(all));
  }

 private:
  std::vector<MixedPart> parts_;
};

}  // namespace

[[gnu::cold]] void register_mixture(Registry& r) {
  auto op = r.add<MixtureReader>("readers.mixture");
  op.doc(
      "Mixes the samples of several readers in given ratios. Each reader's samples are gone through again and again, "
      "from one epoch on into the next. What decides about the order (`random_shuffle`, `num_shards`, `epoch_end`, "
      "...) "
      "is given here; what decides which samples a reader has (`subset`, `weights`, ...) is given to it. Indices of "
      "samples count through all readers.");
  op.input("readers", {}, "What each reader gives. All of them give equally many outputs of the same types.")
      .variadic()
      .optional()
      .holds("readers");
  op.count_outputs([](const OpSpec& spec) {
    int64_t outputs = 2;
    bool return_set = false;
    take_constant(spec, "num_outputs", outputs);
    take_constant(spec, "return_set", return_set);
    PENSTOCK_CHECK(outputs >= 1 && outputs <= 1000, ArgumentError, "num_outputs must be from 1 to 1000, got {}",
                   outputs);
    return static_cast<int>(outputs) + (return_set ? 1 : 0);
  });
  op.output("outputs", "Those of the readers, of the one that the sample comes from; with `return_set` one more.");
  op.arg("ratios", &MixtureArgs::ratios,
         "How many samples each reader gives, compared with the others: in each epoch, and in each thousand samples, "
         "its share, one more or less. Several lists: the ratios of the first epochs, the last ones from then on. "
         "Without it as many as each has, so that an epoch has each sample once.");
  op.arg("num_outputs", &MixtureArgs::num_outputs, "Outputs of each reader; Python counts them.");
  op.arg("return_set", &MixtureArgs::return_set,
         "Give one more output: the number of the reader that the sample comes from, int32, one element.");
  op.arg("epoch_size", &SelectionArgs::epoch_size,
         "Samples in an epoch of all shards together. Without it as many as the epochs of all readers have.");
  add_order_args(op);
}

}  // namespace penstock
