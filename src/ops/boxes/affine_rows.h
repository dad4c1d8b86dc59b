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

/// The job of a sample, without where things lie. `width`: numbers of a row of the input.
kernels::RowsJob rows_job(const TensorDesc& in, const RowMap& map);

/// Maps the rows on the host.
void run_rows(const TensorView& in, const TensorView& out, const RowMap& map);

/// @throws DataError for a row that a GPU found, whose numbers the host does not see
[[noreturn]] void fail_not_finite();

template <class A>
class AffineRowsOperator : public SampleOperator<A, RowMap>, public device::GpuForm {
 public:
  void infer(Sample& s) const override {
    describe_rows(s.in(0).tensor, s);
    this->map(s, this->state(s));
  }
  void run(Sample& s) const override { run_rows(s.in(0).tensor, s.out(0).tensor, this->state(s)); }

  std::vector<std::string_view> kernels() const final { return {kernels::kRows.name}; }
  size_t job_size() const final { return sizeof(kernels::RowsJob); }
  bool may_refuse(const std::byte*) const final { return refuses_not_finite(); }
  void launch(const device::Launch& launch) const final { launch.start(kernels::kRows); }
  void describe(Sample& s, device::Staging& staging, std::byte* memory, bool refused) const final {
    if (refused && refuses_not_finite()) fail_not_finite();
    const RowMap& map = this->state(s);
    auto& job = *new (memory) kernels::RowsJob(rows_job(s.in(0).tensor, map));
    job.matrix = staging.put(std::span<const float>(map.matrix));
    job.offset = staging.put(std::span<const float>(map.offset));
  }
  void connect(std::byte* memory, const Places& places) const final {
    auto& job = *reinterpret_cast<kernels::RowsJob*>(memory);
    job.in = places.in.empty() ? nullptr : places.in[0];
    job.out = places.out;
    if (refuses_not_finite()) job.refused = places.refused;
  }

 protected:
  /// Whether rows with numbers that are not finite are no rows.
  virtual bool refuses_not_finite() const { return false; }
  /// Describes output 0, and checks the input.
  virtual void describe_rows(const TensorDesc& in, Sample& s) const { describe_float_rows(in, s.out(0)); }
  /// The map of the sample's rows. @throws ArgumentError
  virtual void map(const Sample& s, RowMap& map) const = 0;
};

/// Arguments of operators that map boxes.
struct BoxRowsArgs {
  bool ltrb = false, check_boxes = true;
};

/// @throws ArgumentError unless the numbers are those of boxes with four numbers each
void check_boxes_of_four(const TensorDesc& in);
/// @throws DataError that names the first box with a number that is not finite
void check_finite_boxes(const TensorView& boxes);
/// Maps those boxes with a number that is not finite once more: what does not depend on that number stays finite.
void map_boxes_not_finite(const TensorView& in, const TensorView& out, const RowMap& map);

/// Maps boxes of four numbers.
template <class A>
class AffineBoxesOperator : public AffineRowsOperator<A> {
 public:
  void run(Sample& s) const override {
    if (this->constants().check_boxes) check_finite_boxes(s.in(0).tensor);
    AffineRowsOperator<A>::run(s);
    if (!this->constants().check_boxes) map_boxes_not_finite(s.in(0).tensor, s.out(0).tensor, this->state(s));
  }

 private:
  bool refuses_not_finite() const override { return this->constants().check_boxes; }
  void describe_rows(const TensorDesc& in, Sample& s) const override {
    describe_float_rows(in, s.out(0));
    check_boxes_of_four(in);
  }
};

template <class Op>
void add_box_rows_args(OpBuilder<Op>& op) {
  op.arg("ltrb", &BoxRowsArgs::ltrb, "Boxes are left, top, right, bottom.");
  op.arg("check_boxes", &BoxRowsArgs::check_boxes,
         "Refuse boxes with numbers that are not finite, on GPUs, too; otherwise those stay what they are.");
}

}  // namespace penstock
