// Runs and trains a small network of LibTorch on two devices at once, as examples/data_parallel.py does.
//
// usage: data_parallel [DEVICE...]    such as cuda:0 cuda:1; by default GPUs 1 and 3, or virtual devices of these
// numbers
#include <penstock/gpu.h>
#include <penstock/torch.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <cstdio>

using penstock::parallel::DeviceId;

/// "(3, 32)"
std::string shape_of(const torch::Tensor& tensor) {
  return to_string(penstock::Shape(std::span<const int64_t>(tensor.sizes().data(), tensor.sizes().size())));
}

/// Two layers, from 32 channels to 64; says what each replica gets.
struct NetworkImpl : torch::nn::Cloneable<NetworkImpl> {
  NetworkImpl() { reset(); }
  void reset() override {
    first = register_module("first", torch::nn::Linear(32, 48));
    second = register_module("second", torch::nn::Linear(48, 64));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor out = second(torch::relu(first(x)));
    const std::string device = to_string(penstock::parallel::this_replica()->device());
    std::printf("  penstock %s: input %s, output %s\n", device.c_str(), shape_of(x).c_str(), shape_of(out).c_str());
    return out;
  }
  torch::nn::Linear first = nullptr, second = nullptr;
};
TORCH_MODULE(Network);

std::vector<DeviceId> chosen(int argc, char** argv) {
  std::vector<DeviceId> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(DeviceId::parse(argv[i]));
  if (!devices.empty()) return devices;
  const auto kind = penstock::gpu_count() > 3 ? DeviceId::Kind::kCuda : DeviceId::Kind::kHost;
  return {{kind, 1}, {kind, 3}};
}

int main(int argc, char** argv) try {
  const std::vector<DeviceId> devices = chosen(argc, argv);
  const torch::Device home = penstock::parallel::torch_device(devices[0]);
  torch::manual_seed(0);
  Network network;
  network->to(home);  // the module lives on the first device
  penstock::parallel::DataParallel model(network.ptr(), devices);

  std::printf("inference\n");
  const torch::Tensor out = model(torch::randn({3, 32}));  // from host memory; an input may lie anywhere
  std::printf("  gathered on %s: %s\n", to_string(devices[0]).c_str(), shape_of(out).c_str());

  std::printf("a step of training\n");
  torch::optim::SGD optimizer(network->parameters(), 0.1);
  const torch::Tensor x = torch::randn({3, 32}), y = torch::randn({3, 64}).to(home);
  const torch::Tensor before = torch::nn::functional::mse_loss(model(x), y);
  before.backward();  // gradients arrive at the module's own parameters
  optimizer.step();
  const torch::Tensor after =
      torch::nn::functional::mse_loss(model(x), y);  // replicas got the new weights by themselves
  std::printf("  loss %.4f, then %.4f\n", before.item<double>(), after.item<double>());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
