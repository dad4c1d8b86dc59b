/// @file
/// A graph at work: batches come out in order while later ones are being made.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <penstock/error.h>
#include <penstock/graph.h>
#include <penstock/tensor.h>

namespace penstock {

/// What happens to a sample that cannot be made.
enum class OnError {
  kRaise,    ///< the batch's wait() throws; the pipeline goes on with the next batch
  kReplace,  ///< another sample of the data set, chosen by the seed, takes its place: up to 16 are tried, and none
             ///< behind an operator that takes whole batches
  kSkip,     ///< the batch has one sample less
  kZero,     ///< zeros of the shape of the batch's first good sample, marked invalid; there has to be one
};

/// How a pipeline runs. The fields stand in this order in designated initialisers.
struct PipelineOptions {
  int batch_size = 1;                  ///< samples per batch, at most
  int num_threads = 0;                 ///< workers that may make its samples at a time; 0: all cores of the process
  int64_t seed = 0;                    ///< of all random numbers and shuffles; equal on all ranks
  int prefetch = 2;                    ///< batches that the host makes at a time, at least 1
  int prefetch_gpu = 3;                ///< likewise on a GPU; both are in the making, or these alone if `prefetch` is 1
  OnError on_error = OnError::kRaise;  ///< what happens to a sample that cannot be made
  bool push_regions = true;            ///< compute only the regions that are kept (off: for tests and comparisons)
  std::optional<int64_t> shuffle_seed = {};  ///< of readers' shuffles, when it shall differ from `seed`
  int multiprocessors = 0;      ///< of the GPU, on which kernels may run, rounded up to what it divides; 0: all
  int device_id = kHostMemory;  ///< GPU of operators that ask for one; kHostMemory: the CPU does their work
};

/// One batch as it is handed out. The memory is the holder's for as long as it is held.
struct Batch {
  std::vector<TensorList> outputs;  ///< what Graph::set_outputs() named, in that order
  std::vector<uint8_t> valid;       ///< one per sample: 0 for padding and zeroed samples
  std::vector<int64_t> indices;     ///< one per sample: index in the first reader's data set, -1 without a reader
  int64_t iteration = 0;            ///< number of the batch, counted from the start of the run
};

/// A sample that could not be made.
struct Failure {
  int64_t iteration = 0;  ///< number of its batch
  int32_t slot = 0;       ///< its place in the batch
  int64_t index = -1;     ///< in the data set; -1 without a reader
  std::string source;     ///< file or key
  std::string stage;      ///< operator that gave up
  std::string reason;     ///< text of the error
};

/// Facts about one reader of a pipeline.
struct ReaderMeta {
  std::string name;                  ///< CommonArgs::name; empty when none was given
  int64_t epoch_size = 0;            ///< samples in the data set
  int64_t epoch_size_padded = 0;     ///< all shards at one length, when the reader pads
  int64_t num_shards = 1;            ///< parts that the data set is divided into
  int64_t shard = 0;                 ///< the part that the first epoch reads
  bool pads = false;                 ///< the reader fills the last batch by repetitions
  bool sticks = false;               ///< it reads the same part in every epoch
  int64_t steps_per_epoch = 0;       ///< batches that every rank takes in one epoch
  int64_t first_epoch = 0;           ///< the epoch in which this run began: 0, or that of the state that was loaded
  int64_t first_iteration = 0;       ///< the batch with which it began
  int64_t steps_in_first_epoch = 0;  ///< batches that were left of that epoch then
  std::string epoch_end;             ///< "", "pad", "drop", "partial" or "wrap", as the reader was told
};

/// Memory on the pipeline's GPU that its user owns.
struct OutputMemory {
  void* data = nullptr;         ///< its first byte, on the GPU
  size_t bytes = 0;             ///< its size
  void* stream = nullptr;       ///< a cudaStream_t: what is queued there by now may still use the memory
  std::shared_ptr<void> owner;  ///< released by any thread once nothing uses the memory any more; may be null
};

/// A batch at an operator whose work is done by the thread that takes the batch.
struct ConsumerStep {
  int64_t number = 0;              ///< which operator
  int64_t samples = 0;             ///< of the batch
  std::vector<TensorList> inputs;  ///< of the operator
};

/// A graph at work. Used by one thread at a time; several pipelines may be used by several threads.
class Pipeline {
 public:
  /// Plans the graph and opens the readers. It throws what the operators' constructors throw,
  /// with the operator named.
  Pipeline(const Graph& graph, const PipelineOptions& options);
  /// Drops the batches in the making and waits for what runs. Batches that were taken stay whole.
  ~Pipeline();
  /// The other may only be destroyed afterwards.
  Pipeline(Pipeline&&) noexcept;

  /// Gives a batch to the external source of that name, for the next iteration that has none yet. What lies in the
  /// memory of the pipeline's GPU stays there, unless the host reads it: then the caller waits for its copy.
  /// @throws KeyError for an unknown name, ArgumentError for more samples than a batch may have.
  void feed(const std::string& name, TensorList data);
  /// Starts the next batch. @throws ArgumentError when an external source has not been fed for it.
  void schedule();
  /// The oldest batch that was started, when it is done. Throws the error of its first bad sample (OnError::kRaise);
  /// the next call then gives the next batch. @throws ArgumentError for a batch that is handed over.
  Batch wait();
  /// Waits at most that long for the oldest batch. True when wait() would not block, also when no batch was started,
  /// and when the batch is handed over.
  bool wait_for(std::chrono::microseconds limit) const;
  /// Drops the batches in the making: nothing more of them is begun, and what runs is waited for, so long at most.
  /// @return true when nothing runs any more; until then only this may be called again. The destructor waits as long as
  /// it takes.
  bool drop_for(std::chrono::milliseconds limit);
  /// Lets batch `iteration`, counted from the start of the run, have an output there instead of in memory of the pools
  /// or of the host, if it has just that size, its samples have one shape, and the host sees the GPU's end for it, as
  /// it does behind a decoder. The consumer of the batch may read it there by any means. May be called from any thread.
  /// The first offer for an output stays; with the batch, or when batches are dropped, those that were not used are let
  /// go.
  /// @throws IndexError for an output that there is not, ArgumentError without a GPU
  void offer(int64_t iteration, size_t output, const OutputMemory& memory);
  /// What the oldest batch waits for, when it is handed over. Ask after wait_for() said true.
  std::optional<ConsumerStep> consumer_step();
  /// Lets that batch go on, with the operator's outputs. @throws ArgumentError when none is handed over; another number
  /// of outputs or samples comes out of wait() as DataError.
  void end_consumer_step(std::vector<TensorList> outputs);
  /// Likewise when there are none: wait() throws `error`.
  void end_consumer_step(std::exception_ptr error);
  /// Keeps depth() batches in the making and returns the oldest.
  Batch run();
  /// Batches in the making at a time, as the options say.
  int depth() const;
  /// Batches started and not yet taken.
  int in_flight() const;

  /// One for each reader of the graph, in its order.
  const std::vector<ReaderMeta>& readers() const;
  /// The plan as executed, for people to read.
  std::string explain() const;
  /// What waits for what: JSON with seconds and counts per operator.
  std::string stats() const;
  /// Begins the recording of a new timeline, or ends it.
  void set_tracing(bool on);
  /// What was recorded (the last million events) as JSON for Perfetto or chrome://tracing.
  std::string trace() const;
  /// Samples that could not be made so far (the last 10,000).
  std::vector<Failure> failures() const;

  /// Position and identity of the run in a few hundred bytes of JSON: what is needed to go on after the last batch
  /// taken, or after `batches` batches counted from the start of the run: an iterator that takes batches ahead of its
  /// user asks for the user's position.
  std::string state(std::optional<int64_t> batches = {}) const;
  /// Goes on from there, bit for bit. Batches in the making are dropped.
  /// @throws ArgumentError that names the difference when the state is another pipeline's.
  void load_state(const std::string& state);
  /// Forgets batches in the making; the next one is batch `iteration`, counted from the start of the run.
  void seek(int64_t iteration);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
