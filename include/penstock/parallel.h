/// @file
/// One callable on several devices: cut the input, run a part on each device, put the results together. It knows no
/// framework: a callable is anything that takes a Replica. `<penstock/torch.h>` puts modules of LibTorch on top of it.
///
/// @code{.cpp}
/// parallel::Group group({parallel::DeviceId::parse("cuda:1"), parallel::DeviceId::parse("cuda:3")});
/// Tensor out = group.apply(input, [](parallel::Replica& replica, const Tensor& part) { ... return result; });
/// @endcode
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <penstock/error.h>
#include <penstock/tensor.h>

namespace penstock::parallel {

/// A device of this process: a GPU, or a virtual device, which is host memory with a worker of its own. Two virtual
/// devices run the code of two GPUs on a host without any.
struct DeviceId {
  /// What kind of device it is.
  enum class Kind : uint8_t {
    kHost,  ///< a virtual device
    kCuda,  ///< a GPU
  };
  Kind kind = Kind::kHost;  ///< a virtual device, unless said otherwise
  int index = 0;            ///< its number among those of its kind

  /// "cuda:3", "cpu:1"; "cuda" and "cpu" are number 0. @throws ArgumentError for any other text.
  static DeviceId parse(std::string_view text);
  /// How buffers name its memory: kHostMemory, or the number of the GPU.
  int memory() const { return kind == Kind::kCuda ? index : kHostMemory; }
  /// The same kind and number.
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
};
/// "cuda:3"
std::string to_string(const DeviceId& device);

/// How rows are divided among devices.
struct Split {
  /// The rule.
  enum class Kind : uint8_t {
    kChunk,    ///< as torch.chunk: parts of ceil(rows / devices), the last one smaller, perhaps fewer than devices
    kEven,     ///< as equal as can be; no empty parts, unless there are no rows
    kWeights,  ///< in proportion to `weights`, one a device; a part is empty only where its weight is 0
  };
  Kind kind = Kind::kChunk;          ///< the rule
  std::vector<double> weights = {};  ///< for Kind::kWeights: one a device, of any unit
};

/// Rows of each part, perhaps fewer parts than devices. Without rows every device gets an empty part, as from
/// torch.chunk.
/// @throws ArgumentError for fewer than one part, a negative number of rows, and weights that are not one finite,
/// non-negative number a part with a positive sum.
std::vector<int64_t> split_sizes(int64_t rows, int parts, const Split& split = {});

/// What one replica threw.
struct Failure {
  int replica = 0;           ///< its position among the devices of the group
  DeviceId device;           ///< where it ran
  int64_t begin = 0;         ///< its first row
  int64_t end = 0;           ///< behind its last row
  int64_t total = 0;         ///< all rows; -1 where the caller named none
  std::exception_ptr error;  ///< with its own type: std::rethrow_exception(error)
  std::string reason;        ///< its text
};

/// One or several replicas threw; the message names all of them, with device and rows.
class ReplicaErrors : public Error {
 public:
  /// @param failures  at least one, in the order of replicas
  explicit ReplicaErrors(std::vector<Failure> failures);
  /// In the order of replicas, at least one.
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  std::vector<Failure> failures_;
};

/// @cond
struct Lane;
/// @endcond

/// What a callable sees of the device that it runs on. It lives as long as the call.
class Replica {
 public:
  /// The group makes replicas; programs do not.
  Replica(int number, const Lane& lane) : number_(number), lane_(lane) {}
  /// Its position among the devices of the group.
  int number() const { return number_; }
  /// The device it runs on.
  DeviceId device() const;
  /// The cudaStream_t in whose order the engine's own copies run; null on a virtual device. Work that is queued there
  /// needs no further synchronisation. The GPU is the calling thread's current one.
  void* stream() const;
  /// The tensor on this device: itself, or a copy. Read it in the order of stream().
  Tensor place(const Tensor& tensor) const;
  /// New memory on this device, to be written in the order of stream() before the callable returns: others wait for
  /// what is queued there by then. @throws OutOfMemory when a limit would be passed
  Tensor empty(const TensorDesc& desc);

 private:
  friend class Group;
  const int number_;
  const Lane& lane_;
  std::vector<Tensor> made_;
};

/// The replica that the calling thread runs as, for code that is not handed one, such as layers of a module; null on
/// threads that are no worker's.
const Replica* this_replica();

/// Settings of a group.
struct GroupOptions {
  /// Where NCCL is: a path, "" to look for it (in this process, where the loader looks, in wheels beside this library),
  /// "off" to copy between GPUs without it. The environment's PENSTOCK_NCCL says the same where this is empty.
  std::string nccl;
};

/// What reduce() does with the elements of all parts.
enum class Reduction : uint8_t {
  kSum,   ///< adds them
  kMean,  ///< adds them and divides by the number of parts
};

/// How a call is divided and put together.
struct CallOptions {
  Split split = {};                     ///< how rows are divided
  int dim = 0;                          ///< along which the input is cut and results are put together
  std::optional<DeviceId> output = {};  ///< by default the first device
};

/// Devices that work together, each with one thread and one stream that live as long as the group. Any thread may call
/// any method at any time; what several threads ask for at once is done in one order on all devices.
///
/// Tensors may lie in any memory. GPU memory that is not Penstock's own must be complete when it is handed over.
class Group {
 public:
  /// @throws ArgumentError for no devices, one named twice, devices of two kinds, and a GPU that is not there.
  explicit Group(std::vector<DeviceId> devices, GroupOptions options = {});
  /// Waits for what runs and ends the workers.
  ~Group();

  /// As they were given.
  const std::vector<DeviceId>& devices() const;
  /// How tensors are broadcast and reduced: "host memory", "NCCL 2.27.7", or "copies" with the reason.
  std::string transport();

  /// One part a device along `dim`, which may be negative; fewer where split_sizes() gives fewer. A part that lies on
  /// its device already shares the tensor's memory. @throws ArgumentError for a tensor without that dimension.
  std::vector<Tensor> scatter(const Tensor& tensor, const Split& split = {}, int dim = 0);
  /// The tensor on the device of that replica: itself, or a copy. @throws IndexError for a replica that there is not
  Tensor place(const Tensor& tensor, int replica);
  /// The parts put together along `dim` in the memory of `target`, which is one of the devices or any host device: then
  /// the host waits. Tensors without dimensions become a vector.
  /// @throws ArgumentError for no parts, shapes that do not fit and a foreign target, TypeError for mixed dtypes.
  Tensor gather(std::span<const Tensor> parts, DeviceId target, int dim = 0);
  /// One tensor a device. A device that holds the tensor already (the first virtual one, for host memory) gets the
  /// tensor itself, the others copies.
  std::vector<Tensor> broadcast(const Tensor& tensor);
  /// Elements of all parts summed, or averaged, in the memory of `target` (as for gather). Copies are summed in the
  /// order of the parts; floats of 16 bits in float, rounded once. NCCL chooses an order of its own, so that with more
  /// than two GPUs the last bit may differ. It throws what gather() throws.
  /// @throws TypeError for bool, and for the mean of integers.
  Tensor reduce(std::span<const Tensor> parts, Reduction reduction, DeviceId target);

  /// Calls `fn` for the first `count` devices, each on its own worker, and waits for all of them.
  /// @param rows  of each replica's part, for errors to tell; empty: they do not
  /// @throws ReplicaErrors when calls threw
  /// @throws ArgumentError inside a callable of this group, and in a process that was forked off the one that made the
  /// group
  void run(int count, const std::function<void(Replica&)>& fn, std::span<const int64_t> rows = {});

  /// Likewise, with the results in order.
  template <class Fn>
  auto map(int count, Fn&& fn, std::span<const int64_t> rows = {}) {
    using Result = std::invoke_result_t<Fn&, Replica&>;
    std::vector<std::optional<Result>> found(static_cast<size_t>(count));
    run(
        count, [&](Replica& replica) { found[static_cast<size_t>(replica.number())].emplace(fn(replica)); }, rows);
    std::vector<Result> results;
    results.reserve(found.size());
    for (std::optional<Result>& one : found) results.push_back(std::move(*one));
    return results;
  }

  /// The input cut, `fn(replica, part)` called for each part on its device, the tensors that it returns put together.
  /// It throws what scatter(), run() and gather() throw.
  template <class Fn>
  Tensor apply(const Tensor& input, Fn&& fn, const CallOptions& options = {}) {
    const Cut cut = this->cut(input, options.split, options.dim);
    const auto call = [&](Replica& replica) {
      return fn(replica, replica.place(cut.parts[static_cast<size_t>(replica.number())]));
    };
    const std::vector<Tensor> results = map(static_cast<int>(cut.parts.size()), call, cut.rows);
    return gather(results, options.output.value_or(devices().front()), options.dim);
  }

 private:
  struct Cut {
    std::vector<Tensor> parts;  // still in the memory of the whole
    std::vector<int64_t> rows;
  };
  Cut cut(const Tensor& tensor, const Split& split, int dim) const;

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::parallel
