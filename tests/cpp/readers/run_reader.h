// Reads single samples through a reader operator, without a pipeline.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/check.h"
#include "readers/reader.h"
#include "schema/registry.h"
#include "schema/sample_runner.h"

namespace penstock::test {

struct ReadOutput {
  TensorDesc desc;
  std::vector<std::byte> bytes;
  bool shares_memory = false;

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  template <class T>
  std::vector<T> values() const {
    EXPECT_EQ(desc.dtype, dtype_of<T>);
    std::vector<T> list(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  }
};

struct ReadSample {
  std::vector<ReadOutput> outputs;
  std::string source;
  const ReadOutput& operator[](size_t i) const { return outputs[i]; }
};

class RunReader {
 public:
  RunReader(void (*add)(Registry&), std::map<std::string, ArgValue> args) {
    add(registry_);
    schema_ = registry_.all().front();
    spec_.args = std::move(args);
    spec_.reader = 0;
    spec_.batch_size = 4;
    spec_.seed = 17;
    op_ = schema_->make(spec_);
    runner_.emplace(*op_->traits().sample, spec_.seed);
    runner_->set_arena(&arena_);
    values_.resize(static_cast<size_t>(schema_->num_outputs(spec_)));
    for (Value& value : values_) runner_->add_output(&value);
  }

  ReadSample read(int64_t index) {
    begin(index);
    return finish();
  }
  /// Shapes only; the sample's file may change before finish().
  void begin(int64_t index) {
    arena_.reset();
    for (Value& value : values_) value = {};
    picks_ = {{.index = index}};
    id_ = {.sample = static_cast<uint64_t>(index), .picks = picks_};
    runner_->infer(id_);
  }
  ReadSample finish() {
    ReadSample sample;
    for (Value& value : values_) {
      ReadOutput& output = sample.outputs.emplace_back();
      output.desc = value.tensor;
      value.held = whole(value.tensor);
      output.bytes.resize(value.tensor.nbytes(), std::byte{0xcd});  // a batch's memory was used before
      output.shares_memory = value.tensor.data != nullptr;
      if (!output.shares_memory) value.tensor.data = output.bytes.data();
    }
    runner_->run();
    for (size_t i = 0; i < values_.size(); ++i)
      if (sample[i].shares_memory)
        std::copy_n(values_[i].tensor.data, sample[i].bytes.size(), sample.outputs[i].bytes.data());
    sample.source = values_[0].source;
    return sample;
  }
  const Reader& reader() const { return *op_->traits().reader; }
  const OpSpec& spec() const { return spec_; }

 private:
  Registry registry_;
  const OpSchema* schema_ = nullptr;
  OpSpec spec_;
  std::unique_ptr<Operator> op_;
  Arena arena_;
  std::optional<SampleRunner> runner_;
  std::deque<Value> values_;
  std::vector<order::Pick> picks_;
  SampleId id_;
};

}  // namespace penstock::test
