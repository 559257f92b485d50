// The shortlists of a few examples with all their scores: gather, select candidates, sample noises,
// score. It reads the weights and writes only to itself; what it finds for an example depends on
// the weights and that example alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "candidates/beam_search.h"
#include "data/dataset_view.h"
#include "data/row_gather.h"
#include "noise/noise_sampler.h"
#include "objective/shortlist.h"

namespace cane {

/// The parts that make a method, chosen once; all shared and read-only.
struct MethodParts {
  const DatasetView* data;
  const BeamSearch* selector;
  const NoiseSampler* noise;
  std::uint32_t classes;
  std::uint32_t candidates;
  std::uint32_t noises;
};

class ShortlistBatch {
 public:
  explicit ShortlistBatch(const MethodParts& parts) : parts_(parts) {}

  /// `random` is the epoch's; noises of an example are a function of it and the example's number.
  void fill(std::span<const std::uint32_t> examples, const CounterRandom& random);

  std::size_t size() const { return entries_.size(); }
  const RowView& row(std::size_t example) const { return rows_.rows()[example]; }
  Shortlist shortlist(std::size_t example) const {
    const Entry& entry = entries_[example];
    return {entry.candidates, entry.noises, entry.label_at, log_q_.data() + entry.log_q_start};
  }
  std::span<const ClassId> classes(std::size_t example) const {
    return std::span(classes_).subspan(entries_[example].start, entries_[example].size());
  }
  std::span<const float> scores(std::size_t example) const {
    return std::span(scores_).subspan(entries_[example].start, entries_[example].size());
  }
  std::uint64_t rows_scored() const { return rows_scored_; }

 private:
  struct Entry {
    std::uint32_t start;  // of its classes and scores: candidates, then noises
    std::uint32_t candidates;
    std::uint32_t noises;
    std::uint32_t label_at;
    std::uint32_t log_q_start;
    std::uint32_t size() const { return candidates + noises; }
  };

  void add(std::uint32_t example, std::uint32_t number, const CounterRandom& random);
  void score_noises();

  MethodParts parts_;
  RowGather rows_;
  BeamSearch::Workspace search_;
  Selection selection_;
  std::vector<Entry> entries_;
  std::vector<ClassId> classes_;
  std::vector<float> scores_;
  std::vector<float> log_q_;
  std::vector<ClassId> excluded_;
  std::vector<BeamSearch::Request> requests_;
  std::vector<float> request_scores_;
  std::uint64_t rows_scored_ = 0;
};

}  // namespace cane
