// Functions of the calling program inside a graph. A graph holds numbers and strings only, so a function is put into a
// table of the process first and the operator `callback` names it by number.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "schema/operator.h"

namespace penstock {

/// Appends the outputs of a batch, made from its inputs. Called by one worker at a time, batches in order.
using Callback = std::function<void(BatchContext&)>;

/// Keeps `callback` until `release_callback` and returns its number. Safe from any thread.
int64_t keep_callback(Callback callback);
/// The function with that number. @throws ArgumentError when there is none.
std::shared_ptr<const Callback> find_callback(int64_t id);
/// Forgets it. A pipeline that was built with it keeps its own share.
void release_callback(int64_t id);

/// Outputs that a function of the program made are of the samples that it was given: they come from the same files, all
/// of which are named where there are several, with a semicolon in between.
void pass_sources_on(std::span<const TensorList* const> inputs, std::span<TensorList> outputs);

}  // namespace penstock
