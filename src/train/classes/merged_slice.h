// The shortlists of a slice of a batch, made of what all shards say about it: the best of their
// classes are the candidates, and noises are drawn outside them by the proposal, with a uniform
// floor, exactly as one process would (search/proposal.h). Every rank makes the same ones.
//
// The proposal gives class k of shard s the mass e^{base_s} m_k. What it leaves outside the
// candidates is known without another message: of each shard, what is not listed, and what is
// listed and not chosen. So every rank knows on which shard a draw falls, and only the owner of
// that shard must be asked which of its unlisted classes it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/base/random.h"
#include "data/rows/dataset_view.h"
#include "step/step_worker.h"
#include "train/classes/class_shards.h"
#include "train/classes/shard_message.h"
#include "train/classes/shard_slice.h"
#include "train/steps/shortlists.h"

namespace cane {

struct MergeRules {
  Method method{};
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
  float clip = 0.0F;  // bound of the norm of an example's gradient; 0: none
  // Examples all of whose steps are shorter are mostly left out, as EncoderParts has it; 0: none.
  float least_step = 0.0F;
  std::uint64_t seed = 0;
};

class MergedSlice : public Shortlists {
 public:
  /// Both arguments must outlive the object.
  MergedSlice(const ClassShards& shards, const MergeRules& rules)
      : shards_(shards), rules_(rules) {}

  /// Makes the shortlists of consecutive examples of the batch, from `first`. `random` is the
  /// generator of the epoch, `numbers` are those of the examples in the data.
  void merge(const ShardReports& reports, std::size_t first, std::span<const ClassId> labels,
             std::span<const std::uint32_t> numbers, const CounterRandom& random);
  /// What must be known of shards before the shortlists are complete.
  std::span<const NoiseQuestion> questions() const { return questions_; }
  /// The answer to a question.
  void set_answer(std::size_t question, const ListedClass& answer);

  /// Computes losses and gradients of the complete shortlists. `rows` are those that the classes
  /// see.
  StepStats differentiate(const DatasetView& data, std::span<const RowView> rows);

  /// The mass of the proposal over all classes, relative to the base of a shard.
  double total(std::size_t example, std::uint32_t shard) const {
    return masses_[example].total / factors_[example * shards_.count() + shard];
  }

 private:
  /// What the proposal gives, relative to the best base.
  struct Masses {
    double outside = 0.0;  // the candidates
    double total = 0.0;    // over all classes
  };
  /// Where the answer to a question goes.
  struct Place {
    std::uint32_t example;
    std::uint32_t noise;
  };

  void choose(const ShardReports& reports, std::size_t example);
  void weigh(const ShardReports& reports, std::size_t example);
  void draw(const ShardReports& reports, std::uint32_t noise, std::uint32_t number,
            const CounterRandom& random);
  void draw_uniformly(const ShardReports& reports, std::uint32_t noise, ClassId class_id);
  void draw_by_mass(const ShardReports& reports, std::uint32_t noise, double u);
  void ask(std::uint32_t noise, std::uint32_t shard, ClassId class_id, double u);
  void set_noise(std::uint32_t example, std::uint32_t noise, std::uint32_t shard,
                 const ListedClass& drawn);

  const ClassShards& shards_;
  const MergeRules& rules_;
  std::size_t first_ = 0;  // of the batch
  std::span<const std::uint32_t> numbers_;
  std::uint32_t epoch_ = 0;
  std::vector<Masses> masses_;
  std::vector<double> factors_;  // e^{base of the shard}, relative to the best; for each example
  std::vector<std::uint32_t> chosen_;  // how many of each shard's list are candidates
  std::vector<ClassId> excluded_;      // the candidates, ascending
  std::vector<NoiseQuestion> questions_;
  std::vector<Place> places_;  // of their answers
};

}  // namespace cane
