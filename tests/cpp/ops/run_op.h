// Runs one operator on tensors, without a pipeline: what the operators' own tests use.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/message.h"
#include "schema/registry.h"
#include "schema/sample_runner.h"

namespace penstock::test {

using Args = std::map<std::string, ArgValue>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

/// The operators that these functions register.
inline Registry registry_of(std::initializer_list<void (*)(Registry&)> functions) {
  Registry registry;
  for (const auto add : functions) add(registry);
  return registry;
}

/// A tensor that owns its bytes.
struct HostTensor {
  TensorDesc desc;
  std::vector<std::byte> bytes;

  HostTensor() = default;
  explicit HostTensor(TensorDesc d) : desc(std::move(d)), bytes(desc.nbytes()) {}
  template <class T>
  HostTensor(Shape shape, Layout layout, const std::vector<T>& values) : HostTensor({dtype_of<T>, shape, layout}) {
    EXPECT_EQ(static_cast<int64_t>(values.size()), shape.volume());
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), bytes.size(), bytes.data());
  }
  template <class T>
  std::vector<T> values() const {
    EXPECT_EQ(desc.dtype, dtype_of<T>);
    std::vector<T> list(static_cast<size_t>(desc.shape.volume()));
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(list.data()));
    return list;
  }
};

/// A uint8 picture whose pixels differ from their neighbours and from channel to channel.
inline HostTensor test_image(int64_t h, int64_t w, int64_t c = 3) {
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < h * w * c; ++i) pixels.push_back(static_cast<uint8_t>(mix64(static_cast<uint64_t>(i))));
  return HostTensor(Shape{h, w, c}, "HWC", pixels);
}

/// The elements of `region`, densely.
inline HostTensor cut_out(const HostTensor& full, const Region& region) {
  HostTensor part(cut(full.desc, region));
  const size_t element = size_of(full.desc.dtype);
  for (int64_t i = 0; i < part.desc.shape.volume(); ++i) {
    int64_t rest = i, source = 0, stride = 1;
    for (int d = part.desc.shape.ndim() - 1; d >= 0; --d) {
      int64_t index = rest % part.desc.shape[d];
      rest /= part.desc.shape[d];
      index += region.begin(d);
      source += index * stride;
      stride *= full.desc.shape[d];
    }
    std::memcpy(&part.bytes[static_cast<size_t>(i) * element], &full.bytes[static_cast<size_t>(source) * element],
                element);
  }
  return part;
}

/// Those rows and columns.
inline HostTensor cut_out(const HostTensor& full, const PlaneRegion& plane) {
  return cut_out(full, in_plane(plane, full.desc));
}

class RunOp {
 public:
  /// `arg_inputs`: per-sample arguments by name, with their values.
  RunOp(const OpSchema& schema, Args args = {}, std::vector<std::pair<std::string, HostTensor>> arg_inputs = {},
        uint64_t seed = 1, int num_inputs = 1)
      : schema_(schema) {
    spec_.args = std::move(args);
    spec_.seed = seed;
    spec_.num_inputs = num_inputs;
    for (auto& [name, tensor] : arg_inputs) {
      spec_.arg_inputs.push_back(name);
      arg_values_.push_back(std::move(tensor));
    }
    op_ = schema.make(spec_);
    sample_op_ = op_->traits().sample;
    PENSTOCK_CHECK(sample_op_, InternalError, "{} is no sample operator", schema.name);
  }

  /// Runs all phases and returns the outputs. With `wanted`, only that region of output 0 is asked for and returned,
  /// and inputs are handed over cut down to what the operator says it needs.
  std::vector<HostTensor> operator()(std::vector<HostTensor> inputs, const PlaneRegion* wanted = nullptr,
                                     SampleId id = {}) {
    if (!wanted) return run(std::move(inputs), nullptr, id);
    const auto region = [wanted](const TensorDesc& out) { return in_plane(*wanted, out); };
    return run(std::move(inputs), region, id);
  }
  /// The same for any region.
  std::vector<HostTensor> part(std::vector<HostTensor> inputs, const Region& wanted) {
    return run(std::move(inputs), [wanted](const TensorDesc&) { return wanted; }, {});
  }
  /// What the last call with `wanted` asked of each input.
  const std::vector<PlaneRegion>& needed() const { return needed_; }
  const std::vector<Region>& needed_regions() const { return needed_regions_; }
  /// What it made of output 0.
  const Region& made() const { return made_; }

 private:
  using Wanted = std::function<Region(const TensorDesc&)>;
  std::vector<HostTensor> run(std::vector<HostTensor> inputs, const Wanted& wanted, SampleId id) {
    Arena arena;
    SampleRunner runner(*sample_op_, spec_.seed);
    runner.set_arena(&arena);
    std::deque<Value> values;
    const auto add = [&](HostTensor& t) {
      values.push_back({{t.desc, t.bytes.data()}, whole(t.desc), {}});
      return &values.back();
    };
    std::vector<Value*> in, out;
    for (HostTensor& t : inputs) runner.add_input(in.emplace_back(add(t)));
    for (HostTensor& t : arg_values_) runner.add_arg_input(add(t));
    for (int i = 0; i < schema_.num_outputs(spec_); ++i) runner.add_output(out.emplace_back(&values.emplace_back()));
    runner.infer(id);
    for (size_t i = 0; i < out.size(); ++i) runner.wanted(i) = whole(out[i]->tensor);
    if (wanted && sample_op_->traits().makes_regions) runner.wanted(0) = wanted(out[0]->tensor);
    runner.need();
    if (wanted) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        needed_regions_.push_back(runner.needed(i));
        needed_.push_back(plane_of(runner.needed(i), inputs[i].desc.layout));
        inputs[i] = cut_out(inputs[i], runner.needed(i));
        in[i]->tensor.data = inputs[i].bytes.data();
        in[i]->held = runner.needed(i);
      }
    }
    std::vector<HostTensor> results;
    bool aliased = false;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i]->held = runner.wanted(i);
      if (i == 0) made_ = out[i]->held;
      results.emplace_back(cut(out[i]->tensor, out[i]->held));
      if (const int shared = sample_op_->traits().alias_of; shared >= 0) {
        out[i]->tensor.data = in[static_cast<size_t>(shared)]->tensor.data;
        aliased = true;
      }
      if (!out[i]->tensor.data) out[i]->tensor.data = results[i].bytes.data();
    }
    if (!aliased) runner.run();
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i]->tensor.data != results[i].bytes.data() && !results[i].bytes.empty())
        std::copy_n(out[i]->tensor.data, results[i].bytes.size(), results[i].bytes.data());
    return results;
  }
  const OpSchema& schema_;
  OpSpec spec_;
  std::deque<HostTensor> arg_values_;
  std::unique_ptr<Operator> op_;
  const SampleOperatorBase* sample_op_ = nullptr;
  std::vector<PlaneRegion> needed_;
  std::vector<Region> needed_regions_;
  Region made_;
};

}  // namespace penstock::test
