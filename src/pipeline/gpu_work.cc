#include "pipeline/gpu_work.h"

#include <algorithm>
#include <cstring>

#include <penstock/gpu.h>

#include "core/block_size.h"

namespace penstock {
namespace {

size_t aligned(size_t bytes) { return rounded_up(bytes, kBlockAlign); }

}  // namespace

GpuWork::GpuWork(const Plan& plan, const PlannedStep& step, const std::vector<TensorList>& lists,
                 device::Device& device, device::Stream stream, size_t samples, size_t staged)
    : plan_(plan),
      step_(step),
      device_(device),
      stream_(stream),
      samples_(samples),
      staging_(device, stream, staged),
      kept_(samples_ * step.gpu_values.size()),
      sources_(kept_.size()) {
  for (int v : step.gpu_values) {
    const int list = planned(v).list;
    resident_.push_back(list >= 0 && !made_here(v) && lists[static_cast<size_t>(list)].device() != kHostMemory);
  }
  for (const PlannedGroup& group : step.groups)
    for (int n : group.makes)
      if (const PlannedNode& node = plan.nodes[static_cast<size_t>(n)]; node.form && node.joined_by < 0)
        jobs_.push_back({n, staging_.take(node.form->job_size() * samples_), node.form->job_size(),
                         std::vector<uint8_t>(samples_)});
  expect_refusals();
}

GpuWork::~GpuWork() {
  if (!awaited_ || done_) return;
  try {
    device_.finish(stream_);
  } catch (const std::exception&) {
    // The GPU is lost: it does nothing any more.
  }
}

void GpuWork::expect_refusals() {
  if (std::none_of(jobs_.begin(), jobs_.end(), [&](const Jobs& jobs) { return may_refuse(jobs.node, nullptr); }))
    return;
  const size_t count = samples_ * jobs_.size();
  refusals_ = device_.pinned().allocate((count + 1) * sizeof(int32_t), stream_);
  refused_ = {reinterpret_cast<int32_t*>(refusals_.data), count};
  ended_ = refused_.data() + count;
  std::fill(refused_.data(), ended_ + 1, 0);
}

/// Whether kernels may refuse the sample that the job describes; without one, whether they may refuse any.
bool GpuWork::may_refuse(int node, const std::byte* job) const {
  for (; node >= 0; node = plan_.nodes[static_cast<size_t>(node)].follows, job = nullptr) {
    const device::GpuForm& form = *plan_.nodes[static_cast<size_t>(node)].form;
    if (form.may_refuse(job)) return true;
  }
  return false;
}

bool GpuWork::bring(const TensorList& made, const Buffer& to) {
  if (refused_.empty() || made.device() != kHostMemory || !made.uniform() || !made.contiguous()) return false;
  const size_t bytes = static_cast<size_t>(made.size()) * made[0].nbytes();
  if (!bytes || bytes != to.size) return false;
  const device::StagingPlace place = staging_.take(bytes);
  std::memcpy(place.host, made[0].data, bytes);
  const device::StagingPlace job = staging_.take(sizeof(device::CopyJob));
  *reinterpret_cast<device::CopyJob*>(job.host) = {.from = place.device, .to = to.data, .bytes = bytes};
  copies_.push_back({.jobs = job, .count = 1, .most_bytes = bytes});
  buffers_.push_back(to);
  return awaited_ = true;
}

size_t GpuWork::place_of(size_t slot, int value) const {
  return slot * step_.gpu_values.size() + static_cast<size_t>(step_.gpu_slot(value));
}

std::byte* GpuWork::place(size_t slot, int value, size_t bytes) {
  const device::StagingPlace place = staging_.take(bytes);
  Kept& mine = kept(slot, value);
  mine.tensor.data = place.device;
  return mine.host = place.host;
}

void GpuWork::keep(size_t slot, int value, const Value& data) {
  Kept& mine = kept(slot, value);
  std::byte* on_gpu = mine.tensor.data;
  mine.tensor = data.tensor;
  mine.held = data.held;
  sources_.set(place_of(slot, value), data.source);
  if (resident(value)) return;
  mine.tensor.data = on_gpu;
  if (!data.tensor.data || data.tensor.data == mine.host) return;
  std::byte* host = place(slot, value, mine.bytes());
  if (mine.bytes()) std::memcpy(host, data.tensor.data, mine.bytes());
}

std::byte* GpuWork::job(int node, size_t slot) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Jobs& jobs) { return jobs.node == node; });
  found->described[slot] = 1;
  return found->place.host + slot * found->size;
}

std::vector<int64_t> GpuWork::Jobs::among(const std::vector<int64_t>& slots) const {
  std::vector<int64_t> found;
  std::ranges::copy_if(slots, std::back_inserter(found),
                       [&](int64_t slot) { return described[static_cast<size_t>(slot)] != 0; });
  return found;
}

bool GpuWork::fill_skipped(int value, const std::vector<int64_t>& slots) {
  const auto is_there = [&](int64_t slot) {
    return kept(static_cast<size_t>(slot), value).tensor.dtype != DType::kNone;
  };
  const auto some = std::ranges::find_if(slots, is_there);
  if (some == slots.end()) return false;
  for (int64_t slot : slots) {
    if (is_there(slot)) continue;
    kept(static_cast<size_t>(slot), value) = kept(static_cast<size_t>(*some), value);
    kept(static_cast<size_t>(slot), value).tensor.data = nullptr;
  }
  return true;
}

std::string GpuWork::operators() const {
  std::string names;
  for (const Jobs& jobs : jobs_)
    names += (names.empty() ? "" : ", ") + plan_.nodes[static_cast<size_t>(jobs.node)].label();
  return names;
}

bool GpuWork::begins() const {
  const auto step = static_cast<int>(&step_ - plan_.steps.data());
  return std::ranges::none_of(plan_.nodes, [&](const PlannedNode& node) { return node.on_gpu && node.step < step; });
}

int GpuWork::root_of(int value) const {
  while (planned(value).alias_of >= 0 && step_.gpu_slot(planned(value).alias_of) >= 0) value = planned(value).alias_of;
  return value;
}

void GpuWork::launch(const std::vector<int64_t>& good, bool zero_others, std::vector<TensorList>& lists,
                     const std::vector<Buffer>& offered) {
  std::vector<int64_t> slots = good;
  if (zero_others) {
    slots.clear();
    for (size_t slot = 0; slot < samples_; ++slot) slots.push_back(static_cast<int64_t>(slot));
    for (size_t slot = 0; slot < samples_; ++slot)
      if (!std::binary_search(good.begin(), good.end(), static_cast<int64_t>(slot)))
        for (int v : step_.gpu_values) {
          kept(slot, v) = kept(static_cast<size_t>(good[0]), v);
          kept(slot, v).tensor.data = nullptr;  // of that one's kind, but nothing to copy
        }
  }
  for (int v : step_.gpu_values)
    if (planned(v).list >= 0 && made_here(v) && fill_skipped(v, slots)) allocate_output(v, slots, offered, lists);
  const std::vector<Buffer> slabs = buffers_;
  allocate_scratch(slots);
  staging_.upload(pack_jobs(good), begins());
  // Behind the upload, for which other batches' uploads wait: the stream that lends memory may be slow.
  for (const Buffer& slab : slabs) device::block_of(slab).read_on(stream_);
  if (slots.size() > good.size())
    for (const Buffer& slab : slabs) device_.runtime().fill(stream_, slab.data, 0, slab.size);
  // Earlier steps made these, and the host may have seen their end; the pool does not know of this step.
  for (int v : step_.gpu_values)
    if (resident(v)) read_on(lists[static_cast<size_t>(planned(v).list)], stream_);
  start_kernels(good);
  // Where the host waits for the end, it does not look at the other events before. Each call of CUDA delays the calls
  // of other threads, and a thread that has to sleep for one loses 0.1 ms and more on a virtual machine.
  if (awaited_) return;
  for (const Buffer& buffer : buffers_) device::block_of(buffer).written_on(stream_);
}

void GpuWork::done() {
  done_ = true;
  staging_.done();
  for (const Buffer& buffer : buffers_) device::block_of(buffer).done_on(stream_);
  device::block_of(refusals_).done_on(stream_);
}

/// One slab for an output. The value that is computed, of which this one may be a renaming, is written there.
void GpuWork::allocate_output(int value, const std::vector<int64_t>& slots, const std::vector<Buffer>& offered,
                              std::vector<TensorList>& lists) {
  const int root = root_of(value);
  const bool made = made_here(root), placed = made && kept(static_cast<size_t>(slots[0]), root).tensor.data;
  const TensorDesc& first = kept(static_cast<size_t>(slots[0]), value).tensor;
  const bool uniform = std::all_of(slots.begin(), slots.end(), [&](int64_t slot) {
    return TensorDesc(kept(static_cast<size_t>(slot), value).tensor) == first;
  });
  const auto space = [&](const Kept& k) { return uniform ? k.tensor.nbytes() : aligned(k.tensor.nbytes()); };
  size_t bytes = 0;
  for (int64_t slot : slots) bytes += space(kept(static_cast<size_t>(slot), value));
  const Buffer slab = memory_for(value, bytes, uniform, offered);
  buffers_.push_back(slab);
  std::vector<Tensor> tensors;
  std::vector<int64_t> places;
  std::vector<std::byte*> targets;
  std::byte* next = slab.data;
  for (int64_t slot : slots) {
    Kept& mine = kept(static_cast<size_t>(slot), value);
    targets.push_back(next);
    if (made && !placed) kept(static_cast<size_t>(slot), root).tensor.data = next;
    TensorView view = mine.tensor;
    view.data = next;
    next += space(mine);
    places.push_back(static_cast<int64_t>(place_of(static_cast<size_t>(slot), value)));
    if (!uniform) tensors.push_back({slab, view, {}});
  }
  if (!made) copy_to(root, slots, targets, copies_);
  if (placed) copy_to(root, slots, targets, renamed_);
  TensorList& list = lists[static_cast<size_t>(planned(value).list)];
  list = uniform ? TensorList(slab, static_cast<int64_t>(slots.size()), first) : TensorList(std::move(tensors));
  list.set_sources(sources_.of(places));
}

Buffer GpuWork::memory_for(int value, size_t bytes, bool uniform, const std::vector<Buffer>& offered) {
  const auto output = static_cast<size_t>(std::ranges::find(plan_.outputs, value) - plan_.outputs.begin());
  const bool there_is = output < offered.size() && offered[output].data;
  if (!there_is || !uniform || offered[output].size != bytes || refused_.empty())
    return device_.memory().allocate(bytes, stream_);
  awaited_ = true;
  return offered[output];
}

void GpuWork::copy_to(int root, const std::vector<int64_t>& slots, const std::vector<std::byte*>& targets,
                      std::vector<Copies>& all) {
  Copies copies{.jobs = staging_.take(slots.size() * sizeof(device::CopyJob))};
  auto* jobs = reinterpret_cast<device::CopyJob*>(copies.jobs.host);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Kept& from = kept(static_cast<size_t>(slots[i]), root);
    if (!from.tensor.data) continue;
    jobs[copies.count++] = {.from = from.tensor.data, .to = targets[i], .bytes = from.bytes()};
    copies.most_bytes = std::max(copies.most_bytes, from.bytes());
  }
  all.push_back(copies);
}

/// What the GPU makes for itself alone: one block, the values side by side.
void GpuWork::allocate_scratch(const std::vector<int64_t>& slots) {
  const auto for_each = [&](auto&& fn) {
    for (int v : step_.gpu_values) {
      if (!made_here(v) || root_of(v) != v) continue;
      for (int64_t slot : slots)
        if (Kept& mine = kept(static_cast<size_t>(slot), v); !mine.tensor.data && mine.tensor.dtype != DType::kNone)
          fn(mine);
    }
  };
  size_t bytes = 0;
  for_each([&](Kept& mine) { bytes += aligned(mine.bytes()); });
  if (!bytes) return;
  const Buffer scratch = device_.memory().allocate(bytes, stream_);
  std::byte* next = scratch.data;
  for_each([&](Kept& mine) {
    const size_t own = aligned(mine.bytes());
    mine.tensor.data = next;
    next += own;
  });
  buffers_.push_back(scratch);
}

void GpuWork::find_inputs(const PlannedNode& node, size_t slot, std::vector<const std::byte*>& inputs) {
  inputs.clear();
  const Kept& out = kept(slot, node.outputs[0]);
  const bool by_frame = !node.elements && node.sample_op->traits().makes_frames() && out.tensor.layout.find('F') == 0;
  for (int v : node.gpu_inputs) {
    const Kept& in = kept(slot, v);
    const bool of_frames = by_frame && v == node.inputs[0] && !out.held.empty();
    inputs.push_back(kept(slot, root_of(v)).tensor.data + (of_frames ? bytes_before(in.tensor, in.held, out.held) : 0));
  }
}

std::vector<device::CopyJob> GpuWork::pack_jobs(const std::vector<int64_t>& all_good) {
  std::vector<device::CopyJob> copies;
  for (Jobs& jobs : jobs_) {
    const std::vector<int64_t> good = jobs.among(all_good);
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(jobs.node)];
    std::vector<size_t> scratch;
    std::vector<const std::byte*> inputs;
    size_t total = 0;
    for (size_t i = 0; i < good.size(); ++i) {
      const auto slot = static_cast<size_t>(good[i]);
      std::byte* job = jobs.place.host + i * jobs.size;
      if (slot != i) std::memcpy(job, jobs.place.host + slot * jobs.size, jobs.size);
      scratch.push_back(total);
      total += aligned(node.form->scratch_size(job));
    }
    std::byte* memory = nullptr;
    if (total) memory = buffers_.emplace_back(device_.memory().allocate(total, stream_)).data;
    for (size_t i = 0; i < good.size(); ++i) {
      const auto slot = static_cast<size_t>(good[i]);
      find_inputs(node, slot, inputs);
      const size_t number = static_cast<size_t>(&jobs - jobs_.data()) * samples_ + slot;
      node.form->connect(jobs.place.host + i * jobs.size, {.in = inputs,
                                                           .out = kept(slot, node.outputs[0]).tensor.data,
                                                           .scratch = memory + scratch[i],
                                                           .refused = refused_.empty() ? nullptr : &refused_[number],
                                                           .copies = &copies});
      awaited_ = awaited_ || may_refuse(jobs.node, jobs.place.host + i * jobs.size);
    }
  }
  return copies;
}

void GpuWork::start_kernels(const std::vector<int64_t>& all_good) {
  start_copies(copies_);
  for (const Jobs& jobs : jobs_) {
    const std::vector<int64_t> good = jobs.among(all_good);
    if (good.empty()) continue;
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(jobs.node)];
    const auto first = static_cast<size_t>(good[0]);
    device::Launch launch{.device = device_,
                          .stream = stream_,
                          .count = static_cast<int>(good.size()),
                          .in = node.gpu_inputs.empty() ? DType::kNone : kept(first, node.gpu_inputs[0]).tensor.dtype,
                          .out = kept(first, node.outputs[0]).tensor.dtype,
                          .jobs = jobs.place.device,
                          .described = jobs.place.host,
                          .kernels = node.kernels};
    for (int64_t slot : good) {
      const Kept& out = kept(static_cast<size_t>(slot), node.outputs[0]);
      launch.most_elements =
          std::max(launch.most_elements, static_cast<size_t>(cut(out.tensor, out.held).shape.volume()));
    }
    node.form->launch(launch);
  }
  start_copies(renamed_);
}

void GpuWork::start_copies(const std::vector<Copies>& all) {
  for (const Copies& copies : all)
    device_.copy_kernel()({.stream = stream_,
                           .jobs = reinterpret_cast<const device::CopyJob*>(copies.jobs.device),
                           .count = copies.count,
                           .most_elements = static_cast<int64_t>(copies.most_bytes)});
}

}  // namespace penstock
