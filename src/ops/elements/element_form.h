// The form for GPUs of operators whose results come about element by element: each puts a program together, and
// programs of operators that follow each other run as one.
#pragma once

#include <vector>

#include "device/gpu_form.h"
#include "ops/elements/element_work.h"

namespace penstock {

/// How an input becomes part of a program.
struct ElementAsk {
  int lead = 0;          ///< the input that the program must load first, if it has inputs
  bool refused = false;  ///< the GPU has refused the sample
};

/// What can be said of an operator's programs before there is one. Constructors and setup() set it.
struct ProgramTraits {
  const device::GpuForm* alone = nullptr;  ///< a kernel made for it, which is quicker where the program joins no other
  bool joins = true;                       ///< false where arguments ask for what programs cannot do
  /// Inputs that a program can load first, and nothing but once: then it can follow what makes that input.
  std::vector<int> leads = {0};
  bool takes_pixels = false;           ///< lanes must be the channels of pixels:
  bool keeps_pixels = false;           ///< only an operator whose channels stay where they are can follow
  bool may_refuse = false;             ///< see GpuForm::may_refuse()
  int operands = 1, instructions = 2;  ///< at most
};

class ElementForm : public device::GpuForm {
 public:
  /// Puts down the program that makes what output 0 holds. Data pointers are as in describe().
  virtual void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk& ask) const = 0;

  const ProgramTraits& program() const { return program_; }
  /// What does the operator's work where its program joins no other.
  const device::GpuForm& alone() const { return program_.alone ? *program_.alone : *this; }

  std::vector<std::string_view> kernels() const final { return {kernels::kElements.name}; }
  void open_on(device::Device&) const final {}
  size_t job_size() const final { return sizeof(kernels::ElementJob); }
  size_t scratch_size(const std::byte* job) const final;
  void describe(Sample& s, device::Staging& staging, std::byte* job, bool refused) const final;
  void connect(std::byte* job, const Places& places) const final;
  bool may_refuse(const std::byte*) const final { return program_.may_refuse; }
  void launch(const device::Launch& launch) const final;

 protected:
  ProgramTraits program_;
};

/// Lets a launch do what one more of its jobs asks for.
void suit(kernels::ElementParameters& parameters, const kernels::ElementJob& job);

/// Connects one job.
void connect_elements(kernels::ElementJob& job, const device::GpuForm::Places& places);

}  // namespace penstock
