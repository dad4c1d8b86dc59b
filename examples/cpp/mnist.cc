// Trains LibTorch's MNIST network from databases (LMDB) of digits, on a GPU where there is one.
//
// usage: mnist FOLDER [EPOCHS]    (FOLDER/training and FOLDER/testing, as `penstock pack` makes them)
#include <penstock/penstock.h>
#include <penstock/torch.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace fn = penstock::fn;

/// The network of LibTorch's own example: two convolutions and two layers, from 28 x 28 pixels to ten scores.
struct NetworkImpl : torch::nn::Cloneable<NetworkImpl> {
  NetworkImpl() { reset(); }
  void reset() override {
    first = register_module("first", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 10, 5)));
    second = register_module("second", torch::nn::Conv2d(torch::nn::Conv2dOptions(10, 20, 5)));
    dropout = register_module("dropout", torch::nn::Dropout2d());
    third = register_module("third", torch::nn::Linear(320, 50));
    fourth = register_module("fourth", torch::nn::Linear(50, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(first(x), 2));
    x = torch::relu(torch::max_pool2d(dropout(second(x)), 2));
    x = torch::dropout(torch::relu(third(x.flatten(1))), 0.5, is_training());
    return fourth(x);
  }
  torch::nn::Conv2d first = nullptr, second = nullptr;
  torch::nn::Dropout2d dropout = nullptr;
  torch::nn::Linear third = nullptr, fourth = nullptr;
};
TORCH_MODULE(Network);

/// Pictures, float (1, 28, 28), with their labels, int32 (1). An epoch of training leaves out what does not fill a
/// batch; one of testing repeats the last sample, and marks what is repeated.
penstock::Graph digits(const std::string& database, bool training) {
  penstock::Graph graph;
  const auto found = fn::readers::caffe2(
      graph, {.epoch_end = training ? "drop" : "pad", .path = database, .random_shuffle = training});
  const auto decoded =
      fn::decoders::image(graph, found[0], {.output_type = penstock::ImageType::kGray, .common = {.device = "mixed"}});
  const auto images = fn::crop_mirror_normalize(
      graph, decoded, {.dtype = penstock::DType::kFloat, .mean = 33.3, .std = 78.6, .common = {.device = "gpu"}});
  graph.set_outputs({images, found[1]});
  return graph;
}

/// A batch as one tensor of LibTorch. It shares the batch's memory and keeps it; nothing is copied.
template <class T>
torch::Tensor as_torch(const penstock::TensorList& batch) {
  if (batch.dtype() != penstock::dtype_of<T>) throw penstock::TypeError("the batch has another type");
  const penstock::TensorList whole = penstock::side_by_side(batch);
  penstock::read_on(whole, nullptr);  // LibTorch's work is queued on the GPU's default stream
  const penstock::Tensor tensor = whole.as_tensor();
  const penstock::parallel::DeviceId device{whole.device() == penstock::kHostMemory
                                                ? penstock::parallel::DeviceId::Kind::kHost
                                                : penstock::parallel::DeviceId::Kind::kCuda,
                                            std::max(whole.device(), 0)};
  const auto options =
      torch::dtype(torch::CppTypeToScalarType<T>::value).device(penstock::parallel::torch_device(device));
  const std::vector<int64_t> shape(tensor.view.shape.begin(), tensor.view.shape.end());
  return torch::from_blob(
      tensor.view.data, shape, [whole](void*) {}, options);
}

/// Labels as the loss wants them: int64, one dimension, where the network is.
torch::Tensor labels_of(const penstock::Batch& batch, torch::Device device) {
  return as_torch<int32_t>(batch.outputs[1]).flatten().to(device, torch::kLong);
}

/// Trains for an epoch. Returns the loss of its last batch.
double train(Network& network, torch::optim::SGD& optimizer, penstock::Pipeline& batches, torch::Device device) {
  network->train();
  torch::Tensor loss;
  for (int64_t step = 0; step < batches.readers()[0].steps_per_epoch; ++step) {
    const penstock::Batch batch = batches.run();
    optimizer.zero_grad();
    const torch::Tensor scores = network->forward(as_torch<float>(batch.outputs[0]));
    loss = torch::nn::functional::cross_entropy(scores, labels_of(batch, device));
    loss.backward();
    optimizer.step();
  }
  return loss.item<double>();
}

/// Tests with every sample once. Prints how many answers are right.
void test(Network& network, penstock::Pipeline& batches, torch::Device device) {
  const torch::NoGradGuard no_grad;
  network->eval();
  int64_t right = 0, samples = 0;
  for (int64_t step = 0; step < batches.readers()[0].steps_per_epoch; ++step) {
    const penstock::Batch batch = batches.run();
    const torch::Tensor answers = network->forward(as_torch<float>(batch.outputs[0])).argmax(1);
    const torch::Tensor same = (answers == labels_of(batch, device)).cpu();
    for (size_t i = 0; i < batch.valid.size(); ++i) {  // a sample that pads the batch does not count
      samples += batch.valid[i];
      right += batch.valid[i] && same[static_cast<int64_t>(i)].item<bool>();
    }
  }
  std::printf("%lld of %lld right\n", static_cast<long long>(right), static_cast<long long>(samples));
}

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER [EPOCHS]    (FOLDER/training and FOLDER/testing are databases)\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const int epochs = argc == 3 ? std::stoi(argv[2]) : 3;
  const bool on_gpu = penstock::gpu_count() > 0;
  const int device_id = on_gpu ? 0 : penstock::kHostMemory;
  const torch::Device device = on_gpu ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  torch::manual_seed(0);
  Network network;
  network->to(device);
  torch::optim::SGD optimizer(network->parameters(), torch::optim::SGDOptions(0.05).momentum(0.5));
  penstock::Pipeline training(digits(folder + "/training", true), {.batch_size = 50, .device_id = device_id});
  penstock::Pipeline testing(digits(folder + "/testing", false), {.batch_size = 100, .device_id = device_id});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::printf("epoch %d: loss %.3f, ", epoch, train(network, optimizer, training, device));
    test(network, testing, device);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
