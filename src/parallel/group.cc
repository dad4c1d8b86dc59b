#include <penstock/parallel.h>

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "parallel/combine.h"
#include "parallel/memory.h"
#include "parallel/pieces.h"
#include "parallel/worker.h"

namespace penstock::parallel {
namespace {

/// One call of run(), kept alive by the workers that are at it.
class Call {
 public:
  explicit Call(int count) : errors_(static_cast<size_t>(count)), left_(count) {}

  void done(int replica, std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    errors_[static_cast<size_t>(replica)] = std::move(error);
    if (--left_ == 0) finished_.notify_all();
  }
  std::vector<std::exception_ptr> wait() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return left_ == 0; });
    return std::move(errors_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<std::exception_ptr> errors_;
  int left_;
};

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

thread_local const Replica* running = nullptr;

}  // namespace

class Group::Impl {
 public:
  Impl(std::vector<DeviceId> ids, GroupOptions options)
      : devices(std::move(ids)),
        lanes(open_lanes(devices)),
        combiner(lanes, std::move(options.nccl)),
        process_(getpid()) {
    for (const Lane& lane : lanes) {
      const auto begin = [gpu = lane.gpu] {
        if (gpu) gpu->runtime().make_current();
      };
      workers_.push_back(std::make_unique<Worker>("penstock " + to_string(lane.id), begin));
    }
  }

  const Lane& target(const DeviceId& id) const {
    static const Lane host;
    if (id.kind == DeviceId::Kind::kHost) return host;
    const auto found = std::ranges::find(lanes, id, &Lane::id);
    PENSTOCK_CHECK(found != lanes.end(), ArgumentError, "{} is none of this group's devices", to_string(id));
    return *found;
  }

  bool is_of_parent() const { return getpid() != process_; }

  std::vector<std::exception_ptr> run(int count, const std::function<void(Replica&)>& fn) {
    PENSTOCK_CHECK(
        !is_of_parent(), ArgumentError,
        "the group was made before this process was forked off, and its workers stayed behind; make it anew");
    const bool nested = std::ranges::any_of(workers_, [](const auto& worker) { return worker->is_calling_thread(); });
    PENSTOCK_CHECK(!nested, ArgumentError,
                   "a callable asked its own group to run something, for which its worker would have to wait");
    const auto call = std::make_shared<Call>(count);
    {
      // Calls come in one order on all devices: replicas of two calls that wait for each other would wait for ever.
      std::lock_guard lock(order_);
      for (int i = 0; i < count; ++i)
        workers_[static_cast<size_t>(i)]->post([this, call, i, &fn] { call->done(i, serve(i, fn)); });
    }
    return call->wait();
  }

  const std::vector<DeviceId> devices;
  const std::vector<Lane> lanes;
  Combiner combiner;

 private:
  /// What the callable threw.
  std::exception_ptr serve(int number, const std::function<void(Replica&)>& fn) const {
    const Lane& lane = lanes[static_cast<size_t>(number)];
    Replica replica(number, lane);
    std::exception_ptr error;
    running = &replica;
    try {
      fn(replica);
      for (const Tensor& made : replica.made_) written(made, lane);
    } catch (...) {
      error = std::current_exception();
    }
    running = nullptr;
    return error;
  }

  const pid_t process_;
  std::mutex order_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

const Replica* this_replica() { return running; }

DeviceId Replica::device() const { return lane_.id; }
void* Replica::stream() const { return lane_.stream.get(); }
Tensor Replica::place(const Tensor& tensor) const { return placed(tensor, lane_); }
Tensor Replica::empty(const TensorDesc& desc) { return made_.emplace_back(allocate(lane_, desc)); }

Group::Group(std::vector<DeviceId> devices, GroupOptions options)
    : impl_(std::make_unique<Impl>(std::move(devices), std::move(options))) {}

Group::~Group() {
  // A parent's workers can be neither joined nor let go of.
  if (impl_->is_of_parent()) (void)impl_.release();
}

const std::vector<DeviceId>& Group::devices() const { return impl_->devices; }
std::string Group::transport() { return impl_->combiner.transport(); }

Group::Cut Group::cut(const Tensor& tensor, const Split& split, int dim) const {
  const int axis = axis_of(tensor.view, dim);
  Cut cut{.rows = split_sizes(tensor.view.shape[axis], static_cast<int>(impl_->lanes.size()), split)};
  cut.parts = cut_along(tensor, axis, cut.rows, impl_->lanes);
  return cut;
}

std::vector<Tensor> Group::scatter(const Tensor& tensor, const Split& split, int dim) {
  std::vector<Tensor> parts = cut(tensor, split, dim).parts;
  for (size_t i = 0; i < parts.size(); ++i) parts[i] = placed(parts[i], impl_->lanes[i]);
  return parts;
}

Tensor Group::place(const Tensor& tensor, int replica) {
  const auto count = static_cast<int>(impl_->lanes.size());
  PENSTOCK_CHECK(replica >= 0 && replica < count, IndexError, "there is no replica {} of {}", replica, count);
  return placed(tensor, impl_->lanes[static_cast<size_t>(replica)]);
}

Tensor Group::gather(std::span<const Tensor> parts, DeviceId target, int dim) {
  return joined(parts, dim, impl_->target(target), impl_->lanes);
}

std::vector<Tensor> Group::broadcast(const Tensor& tensor) { return impl_->combiner.broadcast(tensor); }

Tensor Group::reduce(std::span<const Tensor> parts, Reduction reduction, DeviceId target) {
  return impl_->combiner.reduce(parts, reduction, impl_->target(target));
}

void Group::run(int count, const std::function<void(Replica&)>& fn, std::span<const int64_t> rows) {
  const auto most = static_cast<int>(impl_->lanes.size());
  PENSTOCK_CHECK(count >= 0 && count <= most, ArgumentError, "{} parts for {} devices", count, most);
  PENSTOCK_CHECK(rows.empty() || rows.size() == static_cast<size_t>(count), ArgumentError,
                 "{} numbers of rows for {} parts", rows.size(), count);
  const std::vector<std::exception_ptr> errors = impl_->run(count, fn);
  const int64_t total = rows.empty() ? -1 : std::accumulate(rows.begin(), rows.end(), int64_t{0});
  std::vector<Failure> failures;
  int64_t begin = 0;
  for (size_t i = 0; i < errors.size(); ++i) {
    const int64_t end = begin + (rows.empty() ? 0 : rows[i]);
    if (errors[i])
      failures.push_back({.replica = static_cast<int>(i),
                          .device = impl_->devices[i],
                          .begin = begin,
                          .end = end,
                          .total = total,
                          .error = errors[i],
                          .reason = text_of(errors[i])});
    begin = end;
  }
  if (!failures.empty()) throw ReplicaErrors(std::move(failures));
}

}  // namespace penstock::parallel
