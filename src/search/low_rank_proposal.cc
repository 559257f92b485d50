#include "search/low_rank_proposal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/simd/softmax_kernels.h"

namespace cane {

std::uint64_t LowRankProposal::propose(std::uint32_t width, Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  const std::size_t examples = own.projected.size();
  const std::size_t pitch = narrow_.all_pitch();
  own.probabilities.resize(examples * pitch);
  own.best.resize(examples);
  own.sums.assign(examples, 0.0F);
  narrow_.score_all(own.projected, own.scoring, pitch, own.probabilities.data());
  for (std::size_t e = 0; e < examples; ++e) {
    const auto scores = std::span<const float>(own.probabilities).subspan(e * pitch, pitch);
    const auto best = own.top.about(scores, narrow_.classes(), width);
    own.best[e] = max_of(scores.data(), narrow_.classes());
    own.proposed.classes.insert(own.proposed.classes.end(), best.begin(), best.end());
    own.proposed.end_list();
  }
  return std::uint64_t{narrow_.classes()} * examples;
}

float* LowRankProposal::exponentials(std::uint32_t example, Workspace& workspace) const {
  const std::size_t pitch = narrow_.all_pitch();
  float* values = workspace.probabilities.data() + example * pitch;
  if (workspace.sums[example] == 0.0F) {
    workspace.sums[example] = exp_and_sum(values, pitch, workspace.best[example], values);
  }
  return values;
}

bool LowRankProposal::prepare_outside(std::uint32_t example, std::span<const ClassId> excluded,
                                      Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  constexpr std::size_t kBlock = ClassScorer::kAllMultiple;
  const float* values = exponentials(example, own);
  const std::size_t blocks = narrow_.all_pitch() / kBlock;
  own.excluded.assign(excluded.begin(), excluded.end());
  own.block_sums.resize(blocks);
  auto next = excluded.begin();
  own.outside = 0.0;
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
      // Summed without the excluded: to subtract them would leave rounding where they have it all.
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (next != excluded.end() && *next == block * kBlock + i) {
          ++next;
        } else {
          sum += begin[i];
        }
      }
    }
    own.block_sums[block] = sum;
    own.outside += static_cast<double>(sum);
  }
  return own.outside > kMinMass;
}

Proposal::Draw LowRankProposal::draw_outside(std::uint32_t example, double u,
                                             Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  constexpr std::size_t kBlock = ClassScorer::kAllMultiple;
  const float* values = own.probabilities.data() + example * narrow_.all_pitch();
  double rest = u * own.outside;
  std::size_t block = 0;
  std::size_t last_block = 0;  // with any mass: where rounding runs over the end
  for (; block < own.block_sums.size(); ++block) {
    if (own.block_sums[block] > 0.0F) last_block = block;
    if (rest < static_cast<double>(own.block_sums[block])) break;
    rest -= static_cast<double>(own.block_sums[block]);
  }
  if (block == own.block_sums.size()) block = last_block;
  auto next = std::lower_bound(own.excluded.begin(), own.excluded.end(), block * kBlock);
  ClassId drawn = kUnknownClass;
  for (std::size_t k = block * kBlock; k < (block + 1) * kBlock; ++k) {
    if (next != own.excluded.end() && *next == k) {
      ++next;
      continue;
    }
    if (values[k] > 0.0F) drawn = static_cast<ClassId>(k);
    if (rest < static_cast<double>(values[k])) break;
    rest -= static_cast<double>(values[k]);
  }
  return {drawn, static_cast<double>(values[drawn]) / own.outside};
}

double LowRankProposal::probability_outside(std::uint32_t example, ClassId label,
                                            Proposal::Workspace& workspace) const {
  const auto& own = static_cast<Workspace&>(workspace);
  return static_cast<double>(own.probabilities[example * narrow_.all_pitch() + label]) /
         own.outside;
}

float LowRankProposal::learn_classes(std::uint32_t example, ClassId label, float scale,
                                     Proposal::Workspace& workspace, GradientParts& classes,
                                     float* inputs) const {
  auto& own = static_cast<Workspace&>(workspace);
  const BlockLayout& layout = narrow_.layout();
  const std::uint32_t width = layout.widest_stride();
  const float* values = exponentials(example, own);
  const float per_sum = scale / own.sums[example];
  for (std::uint32_t block = 0; block < layout.node_bound(); ++block) {
    float* steps = classes.add_part(example, block);
    const float* from = values + std::size_t{block} * width;
    for (std::uint32_t c = 0; c < width; ++c) steps[c] = -per_sum * from[c];
    if (label / width == block) steps[label % width] += scale;
    const BackTask task = {steps, inputs};
    back_block(narrow_.weights().floats() + layout.offset(block), layout.shape(block),
               std::span(&task, 1));
  }
  return std::log(own.sums[example] / std::max(values[label], std::numeric_limits<float>::min()));
}

}  // namespace cane
