// A few examples on their way through Alg. 2 up to the update: gather, select candidates, sample
// noises, score, differentiate, and carry the gradient back to the edges of the tree. It reads the
// weights and writes only to itself; what it computes for an example depends on the weights and
// that example alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "candidates/beam_search.h"
#include "data/dataset_view.h"
#include "data/row_gather.h"
#include "model/path_gradient.h"
#include "noise/noise_sampler.h"

namespace cane {

/// The parts that make a method, chosen once; all shared and read-only.
struct MethodParts {
  const DatasetView* data;
  const BeamSearch* selector;
  const NoiseSampler* noise;
  std::uint32_t classes;
  std::uint32_t candidates;
  std::uint32_t noises;
  float clip;  // the longest gradient of an example; 0: any
};

struct SliceTotals {
  double loss = 0.0;    // weighted sum
  double weight = 0.0;  // sum of example weights
  std::uint64_t examples = 0;
  std::uint64_t covered = 0;  // examples whose label was a candidate
  std::uint64_t rows_scored = 0;

  void add(const SliceTotals& other) {
    loss += other.loss;
    weight += other.weight;
    examples += other.examples;
    covered += other.covered;
    rows_scored += other.rows_scored;
  }
};

class GradientSlice {
 public:
  explicit GradientSlice(const MethodParts& parts, const PathGradient& empty_gradient)
      : parts_(parts), gradient_(empty_gradient) {}

  /// `random` is the epoch's; noises of an example are a function of it and the example's number.
  SliceTotals compute(std::span<const std::uint32_t> examples, const CounterRandom& random);

  const PathGradient& gradient() const { return gradient_; }
  const RowView& row(std::uint32_t example) const { return rows_.rows()[example]; }

 private:
  void make_shortlists(std::span<const std::uint32_t> examples, const CounterRandom& random);
  std::uint64_t score_noises();

  MethodParts parts_;
  RowGather rows_;
  BeamSearch::Workspace search_;
  Selection selection_;
  // The shortlists of all examples, one after the other: candidates, then noises.
  struct Entry {
    std::uint32_t start;
    std::uint32_t candidates;
    std::uint32_t noises;
    std::uint32_t label_at;
    std::uint32_t log_q_start;
  };
  std::vector<Entry> entries_;
  std::vector<ClassId> classes_;
  std::vector<float> scores_;
  std::vector<float> log_q_;
  std::vector<ClassId> excluded_;
  std::vector<BeamSearch::Request> requests_;
  std::vector<float> request_scores_;
  std::vector<float> score_gradient_;
  PathGradient gradient_;
};

}  // namespace cane
