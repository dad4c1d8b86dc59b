// Base of operators that map the rows of a tensor, which are boxes, points or vectors, by a matrix and an offset.
#pragma once

#include <vector>

#include "core/dispatch.h"
#include "device/gpu_form.h"
#include "kernels/rows/job.h"
#include "schema/registry.h"

namespace penstock {

/// x becomes matrix * x + offset.
struct RowMap {
  std::vector<float> matrix;  ///< row by row
  std::vector<float> offset;  ///< one for each number of the result

  /// Each number of n stays what it is.
  static RowMap identity(int64_t n);
  float& at(int64_t row, int64_t column);
  int64_t outputs() const { return static_cast<int64_t>(offset.size()); }
  int64_t inputs() const { return outputs() == 0 ? 0 : static_cast<int64_t>(matrix.size()) / outputs(); }
};

/// Describes the result, for a map of the numbers along the last axis.
/// @throws TypeError unless the input is FLOAT
void describe_float_rows(const TensorDesc& in, Value& out);

/// @throws ArgumentError unless the numbers are those of boxes with four numbers each
void check_boxes_of_four(const TensorDesc& in);

/// The job of a sample, without where things lie. `width`: numbers of a row of the input.
kernels::RowsJob rows_job(const TensorDesc& in, const RowMap& map);

/// Maps the rows on the host.
void run_rows(const TensorView& in, const TensorView& out, const RowMap& map);

template <class A>
class AffineRowsOperator : public SampleOperator<A, RowMap>, public device::JobForm<kernels::RowsJob> {
 public:
  AffineRowsOperator() : JobForm(kernels::kRows) {}
  void infer(Sample& s) const override {
    describe_rows(s.in(0).tensor, s);
    this->map(s, this->state(s));
  }
  void run(Sample& s) const override { run_rows(s.in(0).tensor, s.out(0).tensor, this->state(s)); }

 protected:
  /// Describes output 0, and checks the input.
  virtual void describe_rows(const TensorDesc& in, Sample& s) const { describe_float_rows(in, s.out(0)); }
  /// The map of the sample's rows. @throws ArgumentError
  virtual void map(const Sample& s, RowMap& map) const = 0;

 private:
  void describe(Sample& s, device::Staging& staging, kernels::RowsJob& job) const override {
    const RowMap& map = this->state(s);
    job = rows_job(s.in(0).tensor, map);
    job.matrix = staging.put(std::span<const float>(map.matrix));
    job.offset = staging.put(std::span<const float>(map.offset));
  }
};

}  // namespace penstock
