// <penstock/torch.h> beside the module itself, on virtual devices or on the GPUs that are named.
//
// usage: data_parallel_test [DEVICE DEVICE]
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <penstock/torch.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <thread>

namespace penstock::parallel {
namespace {

std::vector<DeviceId> devices{DeviceId::parse("cpu:0"), DeviceId::parse("cpu:1")};

struct NetImpl : torch::nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() override {
    first = register_module("first", torch::nn::Linear(4, 8));
    norm = register_module("norm", torch::nn::BatchNorm1d(8));
    second = register_module("second", torch::nn::Linear(8, 3));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    if (x.size(0) == refused_rows) throw std::invalid_argument("I do not like these rows");
    seen_autocast = at::autocast::is_autocast_enabled(at::kCPU);
    return second(torch::relu(norm(first(x))));
  }
  torch::nn::Linear first = nullptr, second = nullptr;
  torch::nn::BatchNorm1d norm = nullptr;
  int64_t refused_rows = -1;
  bool seen_autocast = false;
};
TORCH_MODULE(Net);

struct SumImpl : torch::nn::Cloneable<SumImpl> {
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& a, const torch::Tensor& b) { return a + b; }
};

class LibTorch : public testing::Test {
 protected:
  LibTorch() {
    torch::manual_seed(3);
    net_ = Net();
    net_->to(home_);
    net_->eval();  // statistics of a part are not those of the whole
    x_ = torch::randn({5, 4});
  }
  torch::Tensor alone() { return net_->forward(x_.to(home_)); }
  std::vector<torch::Tensor> gradients(const torch::Tensor& out) {
    net_->zero_grad();
    (out * out).sum().backward();
    std::vector<torch::Tensor> result;
    for (const torch::Tensor& parameter : net_->parameters())
      result.push_back(parameter.grad().defined() ? parameter.grad().clone() : torch::Tensor());
    return result;
  }
  void expect_gradients_of_the_module() {
    const std::vector<torch::Tensor> expected = gradients(alone()), found = gradients(dp()(x_));
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(expected[i].defined(), found[i].defined()) << i;
      if (expected[i].defined()) {
        EXPECT_TRUE(torch::allclose(expected[i], found[i], 1e-5, 1e-6)) << i;
      }
    }
  }
  DataParallel<NetImpl>& dp() {
    if (!dp_) dp_ = std::make_unique<DataParallel<NetImpl>>(net_.ptr(), devices);
    return *dp_;
  }
  const torch::Device home_ = torch_device(devices[0]);
  Net net_ = nullptr;
  torch::Tensor x_;
  std::unique_ptr<DataParallel<NetImpl>> dp_;
};

TEST_F(LibTorch, ResultsAreThoseOfTheModule) {
  const torch::Tensor out = dp()(x_);
  EXPECT_EQ(out.device(), home_);
  EXPECT_TRUE(torch::allclose(out, alone(), 1e-5, 1e-6));
}

TEST_F(LibTorch, GradientsArriveAtTheModuleAndItsInput) {
  expect_gradients_of_the_module();
  expect_gradients_of_the_module();  // the replicas' edges serve every backward pass
  const torch::Tensor x = x_.clone().requires_grad_(), y = x_.clone().requires_grad_();
  dp()(x).square().sum().backward();
  net_->forward(y.to(home_)).square().sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad(), y.grad(), 1e-5, 1e-6));
}

TEST_F(LibTorch, OtherForwardPassesMayComeBeforeABackwardPass) {
  for (const bool training : {false, true}) {
    net_->train(training);
    const torch::Tensor sum = dp()(x_).sum() - dp()(-x_).square().sum();
    {
      const torch::NoGradGuard no_grad;
      dp()(x_);
    }
    EXPECT_NO_THROW(sum.backward());
  }
}

TEST_F(LibTorch, CountedChangesBeforeABackwardPassAreErrorsOnAllDevices) {
  const torch::Tensor part = dp()(x_).slice(0, 3).sum();  // the second device's rows
  {
    const torch::NoGradGuard no_grad;
    net_->second->weight.mul_(2);
    dp()(x_);
  }
  EXPECT_THROW(part.backward(), c10::Error);
}

TEST_F(LibTorch, ReplicasFollowTheModule) {
  dp()(x_);
  {
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : net_->parameters()) parameter.mul_(1.5);
    net_->norm->running_mean.fill_(0.25);
  }
  EXPECT_TRUE(torch::allclose(dp()(x_), alone(), 1e-5, 1e-6));
  net_->first->weight.requires_grad_(false);
  expect_gradients_of_the_module();
  net_->to(torch::kFloat64);
  x_ = x_.to(torch::kFloat64);
  EXPECT_EQ(dp()(x_).scalar_type(), torch::kFloat64);
}

TEST_F(LibTorch, EditsWithoutAVersionAreFollowedUnlessFrozen) {
  const torch::Tensor before = dp()(x_).detach();
  const auto zero = [&] {
    net_->second->weight.tensor_data().zero_();
    net_->second->bias.tensor_data().zero_();
  };
  dp().freeze();
  zero();
  EXPECT_TRUE(torch::equal(dp()(x_).slice(0, 3), before.slice(0, 3)));
  dp().freeze(false);
  EXPECT_EQ(dp()(x_).abs().sum().item<double>(), 0);
}

TEST_F(LibTorch, RefreshClonesAnew) {
  dp()(x_);
  net_->refused_rows = 2;  // a member that is no tensor, and the last part has two rows
  dp()(x_);
  dp().refresh();
  EXPECT_THROW(dp()(x_), ReplicaErrors);
}

TEST_F(LibTorch, TheFirstReplicaKeepsItsStatistics) {
  net_->train();
  dp()(x_);
  EXPECT_EQ(net_->norm->num_batches_tracked.item<int64_t>(), 1);
  const torch::Tensor mean = net_->first(x_.slice(0, 0, 3).to(home_)).mean(0) * 0.1;
  EXPECT_TRUE(torch::allclose(net_->norm->running_mean, mean, 1e-4, 1e-6));
  net_->eval();
  EXPECT_TRUE(torch::allclose(dp()(x_), alone(), 1e-5, 1e-6));  // what the other replica gathered is gone
}

TEST_F(LibTorch, GradModeAndAutocastAreTheCallers) {
  {
    const torch::NoGradGuard no_grad;
    EXPECT_FALSE(dp()(x_).requires_grad());
  }
  EXPECT_TRUE(dp()(x_).requires_grad());
  {
    const c10::InferenceMode inference;
    DataParallel fresh(net_.ptr(), devices);
    EXPECT_TRUE(fresh(x_).is_inference());
    const c10::InferenceMode off(false);
    EXPECT_TRUE(fresh(x_.clone()).requires_grad());  // replicas made in inference mode can be trained
  }
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const torch::Tensor out = dp()(x_);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_TRUE(net_->seen_autocast);
  if (home_.is_cpu()) {
    EXPECT_EQ(out.scalar_type(), torch::kBFloat16);
  }
}

TEST_F(LibTorch, RandomNumbersOfTheProgramStayTheSame) {
  torch::manual_seed(5);
  const torch::Tensor expected = torch::rand({3});
  torch::manual_seed(5);
  dp()(x_);
  EXPECT_TRUE(torch::equal(torch::rand({3}), expected));
}

TEST_F(LibTorch, ErrorsNameDeviceAndRows) {
  net_->refused_rows = 2;
  try {
    dp()(x_);
    FAIL();
  } catch (const ReplicaErrors& e) {
    EXPECT_EQ(std::string(e.what()),
              "replica 1 on " + to_string(devices[1]) + " (rows 3 to 4 of 5): I do not like these rows");
  }
}

TEST_F(LibTorch, AModuleThatLiesElsewhereIsRefused) {
  net_ = Net();
  net_->first->weight = net_->first->register_parameter("weight2", torch::empty({8, 4}, torch::kMeta));
  EXPECT_THROW(dp()(x_), ArgumentError);
}

TEST(LibTorchInputs, OfDifferentLengthsAreNamed) {
  DataParallel<SumImpl> sum(std::make_shared<SumImpl>(), devices);
  EXPECT_TRUE(torch::equal(sum(torch::ones({3, 2}), torch::ones({3, 2})), torch::full({3, 2}, 2.0f)));
  try {
    sum(torch::ones({3, 2}), torch::ones({4, 2}));
    FAIL();
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(),
                 "argument 0 has 3 rows (the length along dimension 0), argument 1 has 4; give them the same length");
  }
}

TEST_F(LibTorch, SeveralThreadsCall) {
  const torch::Tensor expected = alone().detach();
  dp();
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int j = 0; j < 10; ++j) wrong += !torch::allclose(dp()(x_), expected, 1e-5, 1e-6);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LibTorch, FewRowsUseFewDevices) {
  x_ = x_.slice(0, 0, 1);
  EXPECT_TRUE(torch::allclose(dp()(x_), alone(), 1e-5, 1e-6));
  DataParallel one(net_.ptr(), {devices[0]}, {.dim = -2});
  EXPECT_TRUE(torch::allclose(one(x_), alone(), 1e-5, 1e-6));
}

}  // namespace
}  // namespace penstock::parallel

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3)
    penstock::parallel::devices = {penstock::parallel::DeviceId::parse(argv[1]),
                                   penstock::parallel::DeviceId::parse(argv[2])};
  return RUN_ALL_TESTS();
}
