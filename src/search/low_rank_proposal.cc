#include "search/low_rank_proposal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/simd/softmax_kernels.h"
#include "search/outside_blocks.h"
#include "search/proposal.h"
#include "search/top_scores.h"

namespace cane {
namespace {

class LowRankWorker final : public ProposalWorker {
 public:
  LowRankWorker(const ClassScorer& scorer, const Projection& projection, const FlatScorer& low_rank)
      : ProposalWorker(scorer, projection), low_rank_(low_rank) {}

  // An update passes over all classes three times, so it uses only a quarter of the examples.
  std::uint32_t num_to_learn() const override {
    return (static_cast<std::uint32_t>(projected().size()) + 3) / 4;
  }
  float learn(std::uint32_t example, ClassId label, float scale, GradientParts& classes,
              float* inputs) override;

 private:
  std::uint64_t propose(std::uint32_t width, ClassLists& proposed) override;
  bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) override;
  Draw draw_outside(std::uint32_t example, double u) override;
  double probability_outside(std::uint32_t example, ClassId class_id) override;
  float* exponentials(std::uint32_t example);

  FlatScorer low_rank_;
  std::vector<float> probabilities_;  // scores, then e^score / e^best, for every class
  std::vector<float> best_;           // best score of every example
  std::vector<float> sums_;           // sums of the exponentials; 0: still scores
  OutsideBlocks outside_;             // of the last prepared example
  TopScores top_;
};

std::uint64_t LowRankWorker::propose(std::uint32_t width, ClassLists& proposed) {
  const std::size_t examples = projected().size();
  const std::size_t pitch = low_rank_.all_pitch();
  probabilities_.resize(examples * pitch);
  best_.resize(examples);
  sums_.assign(examples, 0.0F);
  low_rank_.score_all(projected(), scratch(), pitch, probabilities_.data());
  for (std::size_t e = 0; e < examples; ++e) {
    const auto scores = std::span<const float>(probabilities_).subspan(e * pitch, pitch);
    const auto best = top_.approximate_top_k(scores, low_rank_.classes(), width);
    best_[e] = max_of(scores.data(), low_rank_.classes());
    proposed.classes.insert(proposed.classes.end(), best.begin(), best.end());
    proposed.end_list();
  }
  return std::uint64_t{low_rank_.classes()} * examples;
}

float* LowRankWorker::exponentials(std::uint32_t example) {
  const std::size_t pitch = low_rank_.all_pitch();
  float* values = probabilities_.data() + example * pitch;
  if (sums_[example] == 0.0F) {
    sums_[example] = exp_and_sum(values, pitch, best_[example], values);
  }
  return values;
}

bool LowRankWorker::prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) {
  const std::span<const float> masses(exponentials(example), low_rank_.all_pitch());
  return outside_.prepare(masses, excluded) > kMinOutsideMass;
}

ProposalWorker::Draw LowRankWorker::draw_outside(std::uint32_t example, double u) {
  const ClassId drawn = outside_.draw(probabilities_.data() + example * low_rank_.all_pitch(), u);
  return {drawn, probability_outside(example, drawn)};
}

double LowRankWorker::probability_outside(std::uint32_t example, ClassId class_id) {
  return static_cast<double>(probabilities_[example * low_rank_.all_pitch() + class_id]) /
         outside_.outside();
}

float LowRankWorker::learn(std::uint32_t example, ClassId label, float scale,
                           GradientParts& classes, float* inputs) {
  const float* values = exponentials(example);
  add_likelihood_steps(low_rank_, example, values, scale / sums_[example], label, scale, classes,
                       inputs);
  return std::log(sums_[example] / std::max(values[label], std::numeric_limits<float>::min()));
}

}  // namespace

void add_likelihood_steps(const FlatScorer& low_rank, std::uint32_t example, const float* masses,
                          float per_mass, ClassId label, float scale, GradientParts& classes,
                          float* inputs) {
  const BlockLayout& layout = low_rank.layout();
  const std::uint32_t width = layout.widest_stride();
  for (std::uint32_t block = 0; block < layout.node_bound(); ++block) {
    float* steps = classes.add_part(example, block);
    const float* from = masses + std::size_t{block} * width;
    for (std::uint32_t c = 0; c < width; ++c) steps[c] = -per_mass * from[c];
    if (label / width == block) steps[label % width] += scale;
    if (inputs == nullptr) continue;
    const BackTask task = {steps, inputs};
    back_block(low_rank.weights().floats() + layout.offset(block), layout.shape(block),
               std::span(&task, 1));
  }
}

std::unique_ptr<ProposalWorker> LowRankProposal::make_proposal_worker() const {
  return std::make_unique<LowRankWorker>(scorer_, projection_, low_rank_);
}

}  // namespace cane
