// A proposal of either form with random weights over random examples, and its expected results,
// computed by plain loops in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "search/low_rank_proposal.h"
#include "search/tree_proposal.h"
#include "support/flat_table.h"
#include "support/random_model.h"

namespace cane::testing {

enum class ProposalForm { kNarrow, kTree, kPrior };

inline std::string name_of(ProposalForm form) {
  switch (form) {
    case ProposalForm::kNarrow:
      return "Narrow";
    case ProposalForm::kTree:
      return "Tree";
    case ProposalForm::kPrior:
      return "Prior";
  }
  return "";
}
inline void PrintTo(ProposalForm form, std::ostream* out) {
  *out << name_of(form);
}

struct ProposalOptions {
  ProposalForm form = ProposalForm::kNarrow;
  std::uint32_t classes = 90;
  std::uint32_t rank = 6;  // not a multiple of the SIMD width
  FeatureId dimension = 9;
  std::uint32_t examples = 5;
  bool sparse = false;
  float scale = 0.5F;  // scale of the weights behind p'
  float margin = TreeProposal::kNoMargin;
};

class RandomProposal {
 public:
  explicit RandomProposal(const ProposalOptions& asked)
      : options(asked),
        examples(asked.dimension, asked.examples, asked.sparse),
        full(asked.classes, 1, asked.dimension, 3),
        projection(asked.rank, block_stride(asked.rank), asked.dimension, 4),
        narrow(asked.classes, 64, asked.rank, 5),
        tree(balanced_tree(random_order(asked.classes, 6), 5),
             is_prior() ? asked.dimension : asked.rank, 0, false, 7),
        scorer(full.scorer()) {
    for (auto* weights : {&projection.weights, &narrow.weights, &tree.weights}) {
      for (float& weight : *weights) weight *= asked.scale;
    }
    const Projection down = {&projection.layout, projection.weights.data(), asked.rank};
    if (is_prior()) {
      prior_scorer = std::make_unique<PriorScorer>(scorer, tree.scorer(true));
      proposal = std::make_unique<TreeProposal>(*prior_scorer, asked.margin);
    } else if (is_tree()) {
      proposal = std::make_unique<TreeProposal>(scorer, down, tree.scorer(true));
    } else {
      proposal = std::make_unique<LowRankProposal>(scorer, down, narrow.scorer());
    }
  }
  RandomProposal(const RandomProposal&) = delete;
  RandomProposal& operator=(const RandomProposal&) = delete;

  bool is_prior() const { return options.form == ProposalForm::kPrior; }
  bool is_tree() const { return options.form != ProposalForm::kNarrow; }
  const BlockLayout& class_layout() const { return is_tree() ? tree.layout : narrow.layout; }
  std::vector<float>& class_weights() { return is_tree() ? tree.weights : narrow.weights; }

  /// log p'(k | x) of every class.
  std::vector<double> plain_law(std::size_t example) const {
    std::vector<float> projected(options.rank);
    for (std::uint32_t r = 0; r < options.rank; ++r) {
      projected[r] = static_cast<float>(projection.plain_score(examples.rows[example], r));
    }
    const RowView row =
        is_prior() ? examples.rows[example] : RowView{nullptr, projected.data(), options.rank};
    std::vector<double> law;
    double sum = 0.0;
    for (ClassId k = 0; k < options.classes; ++k) {
      law.push_back(is_tree() ? tree.plain_log_probability(row, k) : narrow.plain_score(row, k));
    }
    if (is_tree()) return law;
    double high = law[0];
    for (const double score : law) high = std::max(high, score);
    for (const double score : law) sum += std::exp(score - high);
    for (double& score : law) score -= high + std::log(sum);
    return law;
  }

  /// The score of a class by the model: its row, and the prior if there is one.
  double plain_score(std::size_t example, ClassId class_id) const {
    const double row = full.plain_score(examples.rows[example], class_id);
    return is_prior() ? row + plain_law(example)[class_id] : row;
  }
  /// Learns by an example; a prior has no projection to learn.
  float learn(ProposalWorker& worker, std::uint32_t example, ClassId label, float weight,
              GradientParts& projected, GradientParts& classes) const {
    return worker.learn(example, label, weight, classes,
                        is_prior() ? nullptr : projected.add_part(example, 0));
  }

  struct Selected {
    std::unique_ptr<ProposalWorker> worker;
    Selection selection;
  };
  Selected select(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep) const {
    Selected selected;
    selected.worker = proposal->make_proposal_worker();
    const CounterRandom random(1, RandomPurpose::kNoise);
    const std::vector<std::uint32_t> numbers(rows.size(), 0);
    selected.worker->select(rows, {random, numbers}, width, keep, selected.selection);
    return selected;
  }

  ProposalOptions options;
  RandomRows examples;
  FlatTable full;
  FlatTable projection;
  FlatTable narrow;
  RandomModel tree;
  FlatScorer scorer;
  std::unique_ptr<PriorScorer> prior_scorer;  // null unless there is a prior
  std::unique_ptr<Proposal> proposal;
};

}  // namespace cane::testing
