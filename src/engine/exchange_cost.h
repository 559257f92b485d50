// What a training on several ranks costs, by arithmetic from what was measured on one of them and
// the network that is stated. docs/cluster.md explains the model and compares it with measurements.
#pragma once

#include <cstdint>
#include <vector>

#include "cane/train.h"

namespace cane {

/// Ranks that take batches of their own and exchange what they change (train/parallel).
struct ExchangeMeasures {
  std::uint64_t examples = 0;  // of an epoch
  std::uint64_t classes = 0;
  std::uint64_t batch = 0;
  double batch_seconds = 0.0;         // for a batch, with all threads of a rank
  std::vector<double> sent_lines;     // worth sending after 1, 2, 4, ... batches; not empty
  std::vector<double> changed_lines;  // at all, after as many
  double take_seconds = 0.0;          // to look at a changed line, and take its change
  double add_seconds = 0.0;           // to add the change of a line
  double lines = 0.0;                 // that all weights and sums have
};
RankEstimate exchange_cost(const ExchangeMeasures& measures, const Cluster& cluster);

/// Lines after so many batches, `known` after 1, 2, 4, ...: between these by interpolation, beyond
/// the last one as if every batch changed as many, drawn from all of them.
double lines_after(const std::vector<double>& known, double batches, double all);

/// Ranks that compute the slices of every batch together and all apply the gradients of all.
struct SliceMeasures {
  std::uint64_t examples = 0;
  std::uint64_t batch = 0;
  double computing = 0.0;  // seconds for the slices of one rank
  double updating = 0.0;   // seconds for the gradients of a whole batch
  double packing = 0.0;    // seconds for the gradients of one rank, one way, in the mean
  double bytes = 0.0;      // of the gradients of one rank, in the mean
};
RankEstimate slice_cost(const SliceMeasures& measures, const Cluster& cluster);

/// Ranks that share out the classes (train/classes).
struct ShardMeasures {
  std::uint64_t examples = 0;
  std::uint64_t batch = 0;
  double batch_seconds = 0.0;  // of a rank, for its own classes
  double bytes = 0.0;          // that a rank sends to each other for an example
};
RankEstimate class_cost(const ShardMeasures& measures, const Cluster& cluster);

}  // namespace cane
