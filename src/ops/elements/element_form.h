// The form for GPUs of operators whose results come about element by element: each puts a program together, and
// programs of operators that follow each other run as one.
#pragma once

#include "device/gpu_form.h"
#include "ops/elements/element_work.h"

namespace penstock {

/// How an input becomes part of a program.
struct ElementAsk {
  int lead = 0;          ///< the input that the program must load first, if it has inputs
  bool refused = false;  ///< the GPU has refused the sample
};

class ElementForm : public device::GpuForm {
 public:
  /// Puts down the program that makes what output 0 holds. Data pointers are as in describe().
  virtual void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk& ask) const = 0;

  /// What does the operator's work where its program joins no other: a kernel made for it may be quicker.
  virtual const device::GpuForm& alone() const { return *this; }
  /// False where arguments ask for what programs cannot do.
  virtual bool joins() const { return true; }
  /// True where a program can load that input first, and nothing but once: then it can follow what makes the input.
  virtual bool can_lead(int input) const { return input == 0; }
  /// Whether lanes must be the channels of pixels, and whether channels stay where they are: only such operators follow
  /// the former.
  virtual bool takes_pixels() const { return false; }
  virtual bool keeps_pixels() const { return false; }
  /// At most.
  virtual int operands() const { return 1; }
  virtual int instructions() const { return 2; }

  std::vector<std::string_view> kernels() const override { return {kernels::kElements.name}; }
  size_t job_size() const override { return sizeof(kernels::ElementJob); }
  size_t scratch_size(const std::byte* job) const override;
  void describe(Sample& s, device::Staging& staging, std::byte* job, bool refused) const final;
  void connect(std::byte* job, const Places& places) const override;
  void launch(const device::Launch& launch) const override;
};

/// Lets a launch do what one more of its jobs asks for.
void suit(kernels::ElementParameters& parameters, const kernels::ElementJob& job);

/// Connects one job.
void connect_elements(kernels::ElementJob& job, const device::GpuForm::Places& places);

}  // namespace penstock
