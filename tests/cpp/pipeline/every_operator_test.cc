// What every operator of the build has to say of itself, and what holds for all of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/plan.h"
#include "schema/registry.h"

namespace penstock {
namespace {

/// The operator with the arguments of its example; null where those need data that only tests in Python make.
std::unique_ptr<Operator> exemplary(const OpSchema& schema) {
  OpSpec spec;
  for (const InputSpec& input : schema.inputs) {
    if (input.holds == "readers") return nullptr;
    if (input.holds != "nothing") spec.num_inputs += input.variadic ? 2 : 1;
  }
  for (const ExampleArg& arg : schema.example) {
    if (arg.kind == ExampleArg::Kind::kData) return nullptr;
    if (arg.kind == ExampleArg::Kind::kNode) spec.arg_inputs.push_back(arg.name);
    if (arg.kind == ExampleArg::Kind::kValue) spec.args[arg.name] = arg.value;
  }
  return schema.make(spec);
}

class EveryOperator : public testing::TestWithParam<const OpSchema*> {};

TEST_P(EveryOperator, ShowsItsArgumentsInAnExample) {
  const OpSchema& schema = *GetParam();
  for (const ArgSpec& arg : schema.args) {
    if ((arg.flags & kRequired) == 0) continue;
    EXPECT_TRUE(std::ranges::any_of(schema.example, [&](const ExampleArg& given) { return given.name == arg.name; }))
        << "`" << arg.name << "` has no default: .example({{\"" << arg.name << "\", ...}}) says with what it is tested";
  }
  for (const ExampleArg& given : schema.example)
    EXPECT_TRUE(schema.arg(given.name)) << "the example names `" << given.name << "`, which is no argument";
}

TEST_P(EveryOperator, HasAGpuFormOrSaysWhyNot) {
  const OpSchema& schema = *GetParam();
  const std::unique_ptr<Operator> op = exemplary(schema);
  if (!op) {
    EXPECT_FALSE(schema.host_only.empty()) << "an operator of a folder has no GPU form: .host_only(\"reason\")";
    return;
  }
  EXPECT_NE(has_gpu_form(*op), !schema.host_only.empty())
      << (schema.host_only.empty() ? "it has neither a GPU form nor a reason: .host_only(\"reason\")"
                                   : "it has a GPU form, so that .host_only() is no longer true");
}

INSTANTIATE_TEST_SUITE_P(Operators, EveryOperator, testing::ValuesIn(registry().all()), [](const auto& tested) {
  std::string name = tested.param->name;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace penstock
