// What computes the batches of a method on the threads of the processor, alone or with other ranks.
// For all of these functions: the arguments must outlive the result, and so must what the parts
// point to; the weights of the state must not move.
#pragma once

#include <memory>

#include "core/parallel/run_context.h"
#include "train/executors/training_parts.h"
#include "train/parallel/weight_exchange.h"
#include "train/trainer.h"

namespace cane {

/// Hogwild: every thread takes its own batches, computes their gradients at the current weights and
/// updates these, which all threads share without locks. What learns example by example uses one
/// thread if it must be deterministic, or changes more than weights. `updates`: where every update
/// is marked; null: updates are not tracked.
std::unique_ptr<Executor> make_hogwild(const TrainingParts& parts, const TrainConfig& config,
                                       TrainState& state, int threads, WeightExchange* updates);

/// Synchronous: all threads, and all ranks if there are several, work on one batch, first on slices
/// of its examples, then on disjoint blocks of weights, so results are bit-identical for any number
/// of threads. Ranks stop at the same batch: the one after the request has reached all.
std::unique_ptr<Executor> make_synchronous(const TrainingParts& parts, const TrainConfig& config,
                                           TrainState& state, Communicator& ranks);

/// Classes that a batch lists together, all of them for the softmax, by a team of threads
/// (step/step_team.h). `updates`: where changes are marked; null: they are not tracked, and all
/// ranks compute the same batches, each of all classes or of its own.
std::unique_ptr<Executor> make_team(const TrainingParts& parts, const TrainConfig& config,
                                    Communicator& ranks, WeightExchange* updates);

/// Ranks that each take batches of their own, by one of the executors above, and exchange what they
/// change (train/parallel/weight_exchange.h). `examples`: of the data, all of which every rank has.
std::unique_ptr<Executor> make_exchanging(const TrainingParts& parts, const TrainConfig& config,
                                          std::uint64_t examples, TrainState& state,
                                          const RunContext& context);

/// The one of these that the options ask for.
std::unique_ptr<Executor> make_executor(const TrainingParts& parts, const TrainConfig& config,
                                        std::uint64_t examples, TrainState& state,
                                        const RunContext& context);

}  // namespace cane
