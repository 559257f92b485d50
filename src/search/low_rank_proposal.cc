#include "search/low_rank_proposal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/simd/softmax_kernels.h"
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
  std::vector<float> block_sums_;     // of the last prepared example, without excluded classes
  std::vector<ClassId> excluded_;
  double outside_ = 0.0;
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
  constexpr std::size_t kBlock = ClassScorer::kAllMultiple;
  const float* values = exponentials(example);
  const std::size_t blocks = low_rank_.all_pitch() / kBlock;
  excluded_.assign(excluded.begin(), excluded.end());
  block_sums_.resize(blocks);
  auto next = excluded.begin();
  outside_ = 0.0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const float* begin = values + block * kBlock;
    float sum = 0.0F;
    if (next == excluded.end() || *next >= (block + 1) * kBlock) {
      float lanes[8] = {};
      for (std::size_t i = 0; i < kBlock; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += begin[i + lane];
      }
      sum = std::accumulate(lanes, lanes + 8, 0.0F);
    } else {
      // Sum without the excluded classes: subtracting them cancels badly if they hold all the mass.
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (next != excluded.end() && *next == block * kBlock + i) {
          ++next;
        } else {
          sum += begin[i];
        }
      }
    }
    block_sums_[block] = sum;
    outside_ += static_cast<double>(sum);
  }
  return outside_ > kMinMass;
}

ProposalWorker::Draw LowRankWorker::draw_outside(std::uint32_t example, double u) {
  constexpr std::size_t kBlock = ClassScorer::kAllMultiple;
  const float* values = probabilities_.data() + example * low_rank_.all_pitch();
  double rest = u * outside_;
  std::size_t block = 0;
  std::size_t last_block = 0;  // last block with any mass, used if rounding runs past the end
  for (; block < block_sums_.size(); ++block) {
    if (block_sums_[block] > 0.0F) last_block = block;
    if (rest < static_cast<double>(block_sums_[block])) break;
    rest -= static_cast<double>(block_sums_[block]);
  }
  if (block == block_sums_.size()) block = last_block;
  auto next = std::lower_bound(excluded_.begin(), excluded_.end(), block * kBlock);
  ClassId drawn = kUnknownClass;
  for (std::size_t k = block * kBlock; k < (block + 1) * kBlock; ++k) {
    if (next != excluded_.end() && *next == k) {
      ++next;
      continue;
    }
    if (values[k] > 0.0F) drawn = static_cast<ClassId>(k);
    if (rest < static_cast<double>(values[k])) break;
    rest -= static_cast<double>(values[k]);
  }
  return {drawn, static_cast<double>(values[drawn]) / outside_};
}

double LowRankWorker::probability_outside(std::uint32_t example, ClassId class_id) {
  return static_cast<double>(probabilities_[example * low_rank_.all_pitch() + class_id]) / outside_;
}

float LowRankWorker::learn(std::uint32_t example, ClassId label, float scale,
                           GradientParts& classes, float* inputs) {
  const BlockLayout& layout = low_rank_.layout();
  const std::uint32_t width = layout.widest_stride();
  const float* values = exponentials(example);
  const float per_sum = scale / sums_[example];
  for (std::uint32_t block = 0; block < layout.node_bound(); ++block) {
    float* steps = classes.add_part(example, block);
    const float* from = values + std::size_t{block} * width;
    for (std::uint32_t c = 0; c < width; ++c) steps[c] = -per_sum * from[c];
    if (label / width == block) steps[label % width] += scale;
    if (inputs == nullptr) continue;
    const BackTask task = {steps, inputs};
    back_block(low_rank_.weights().floats() + layout.offset(block), layout.shape(block),
               std::span(&task, 1));
  }
  return std::log(sums_[example] / std::max(values[label], std::numeric_limits<float>::min()));
}

}  // namespace

std::unique_ptr<ProposalWorker> LowRankProposal::make_proposal_worker() const {
  return std::make_unique<LowRankWorker>(scorer_, projection_, low_rank_);
}

}  // namespace cane
