// The work of one shard on a slice of a batch: its best classes for each example, noises drawn
// among the others, and the gradient in the weights of its classes. It reads the weights and writes
// only to itself; nothing depends on the other examples of the slice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/gradient/class_gradients.h"
#include "linear/scorers/flat_scorer.h"
#include "search/outside_blocks.h"
#include "search/selector.h"
#include "search/top_scores.h"
#include "train/classes/class_shards.h"
#include "train/classes/shard_message.h"
#include "train/steps/shortlists.h"
#include "train/train_state.h"

namespace cane {

struct ShardTables;

/// How many classes of a shard are looked at, so that the best `keep` of all shards, found by a
/// search of `width`, are nearly always among them.
struct ShardWidths {
  ShardWidths(std::uint32_t width, std::uint32_t keep, std::uint32_t shards);
  std::uint32_t width;
  std::uint32_t keep;
};

/// A noise that a shard is asked for.
struct NoiseQuestion {
  std::uint32_t example;  // of the slice
  std::uint32_t shard;
  ClassId class_id;  // this one; kUnknownClass: to be drawn among those that are not listed
  double u;          // by this uniform number in [0, 1)
};

class ShardSlice {
 public:
  /// `own`: which of the shards of this rank. `tables` and `state` must outlive the object; the
  /// weights must not move.
  ShardSlice(const ShardTables& tables, std::uint32_t own, TrainState& state);

  /// Searches for the rows, which the proposal sees as `projected`. The label is scored if the
  /// shard has it; it has no part in the search.
  void search(std::span<const RowView> rows, std::span<const RowView> projected,
              std::span<const ClassId> labels, const ShardWidths& widths);
  std::span<const ShardHead> heads() const { return heads_; }
  std::span<const ListedClass> listed() const { return listed_; }

  /// Adds an answer for each question to this shard; their examples must ascend.
  void answer(std::span<const NoiseQuestion> questions, std::vector<ListedClass>& answers);

  /// Begins the gradients of the searched rows.
  void begin_gradients();
  void add_steps(std::uint32_t example, const ShortlistSteps& steps);
  /// The steps on the proposal's likelihood of the label, given its mass over all classes, relative
  /// to the base of this shard. Adds the steps in the projected row to `inputs`.
  void learn(std::uint32_t example, ClassId label, float scale, double total, float* inputs);
  /// Adds the steps in the rows that the classes see: those of an example at its place in `steps`.
  void back(std::span<const std::uint32_t> places, float* steps) const;
  /// In the tables of the shard; valid until the next begin_gradients.
  std::span<const TableGradient> gradients() const { return gradients_; }

 private:
  void report(std::uint32_t example, ClassId label, float label_score);
  std::span<float> masses(std::size_t example) {
    return std::span(masses_).subspan(example * proposal_.all_pitch(), proposal_.all_pitch());
  }
  bool is_empty() const { return classes_.classes() == 0; }

  const ClassShards& shards_;
  std::uint32_t shard_;
  std::size_t class_table_;  // the proposal's is the next
  FlatScorer classes_;
  FlatScorer proposal_;
  std::span<const RowView> rows_;
  std::span<const RowView> projected_;
  std::vector<float> masses_;  // scores of the proposal, then their exponentials
  std::vector<OutsideBlocks> outside_;
  std::vector<ShardHead> heads_;
  std::vector<ListedClass> listed_;
  ClassLists lists_;
  std::vector<float> scores_;
  std::vector<float> label_scores_;
  Selection selection_;
  std::vector<ClassId> excluded_;
  std::vector<ClassId> own_;
  std::vector<float> own_gradient_;
  ScoringScratch scratch_;
  TopScores top_;
  FlatGradient class_gradient_;
  GradientParts proposal_gradient_;
  std::vector<TableGradient> gradients_;
};

}  // namespace cane
