#include "predict/normalizer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

// The same for rows stored dense or sparse: only nonzero values contribute.
std::uint64_t fingerprint(const RowView& row) {
  std::uint64_t print = 0;
  for (std::uint32_t p = 0; p < row.count; ++p) {
    if (row.values[p] == 0.0F) continue;
    const std::uint64_t feature = row.indices == nullptr ? p : row.indices[p];
    const std::uint64_t word = feature << 32 | std::bit_cast<std::uint32_t>(row.values[p]);
    print = (print ^ word) * 0x9E3779B97F4A7C15U;
    print ^= print >> 32;
  }
  return print;
}

}  // namespace

float OtherClasses::log_sum(float scale) const {
  if (scale == 1.0F && log_weights.empty()) return log_sum_exp(scores.data(), scores.size());
  scratch->resize(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (*scratch)[i] = scale * scores[i] + (log_weights.empty() ? 0.0F : log_weights[i]);
  }
  return log_sum_exp(scratch->data(), scratch->size());
}

void exact_log_normalizers(const ClassScorer& scorer, std::span<const RowView> rows,
                           ScoringScratch& scoring, NormalizerScratch& scratch,
                           std::span<LogNormalizer> results) {
  const std::size_t pitch = scorer.all_pitch();
  scratch.all_scores.resize(rows.size() * pitch);
  scorer.score_all(rows, scoring, pitch, scratch.all_scores.data());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    results[e] = {log_sum_exp(scratch.all_scores.data() + e * pitch, scorer.classes()), 0.0F};
  }
}

void draw_noises(Selector::Worker& selector, NoiseSource& noise, std::uint32_t noises,
                 std::span<const RowView> rows, const Selection& selection,
                 NormalizerScratch& scratch) {
  const CounterRandom random(0, RandomPurpose::kEstimate);
  ClassLists& drawn = scratch.drawn;
  scratch.noises.resize(noises);
  scratch.log_q.resize(rows.size() * noises);
  drawn.clear();
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    scratch.excluded.clear();
    for (const Candidate& candidate : selection.of(e)) {
      scratch.excluded.push_back(candidate.class_id);
    }
    if (scratch.excluded.size() < selector.scorer().classes()) {
      std::sort(scratch.excluded.begin(), scratch.excluded.end());
      noise.draw(e, scratch.excluded, random, fingerprint(rows[e]), scratch.noises,
                 std::span(scratch.log_q).subspan(drawn.classes.size(), noises));
      drawn.classes.insert(drawn.classes.end(), scratch.noises.begin(), scratch.noises.end());
    }
    drawn.end_list();
  }
  scratch.scores.resize(drawn.classes.size());
  selector.score(rows, drawn, scratch.scores.data());
}

LogNormalizer estimated_log_normalizer(std::uint32_t example, const Selection& selection,
                                       const NormalizerScratch& scratch) {
  const auto candidates = selection.of(example);
  const std::size_t begin = scratch.drawn.starts[example];
  const std::size_t end = scratch.drawn.starts[example + 1];
  const auto draws = static_cast<double>(end - begin);
  float high = candidates.front().score;
  for (std::size_t i = begin; i < end; ++i) {
    high = std::max(high, scratch.scores[i] - scratch.log_q[i]);
  }
  // All sums are relative to the largest exponent.
  const auto power = [&](float exponent) { return std::exp(static_cast<double>(exponent - high)); };
  double sum = 0.0;
  for (const Candidate& candidate : candidates) sum += power(candidate.score);
  double drawn = 0.0;
  double squares = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    const double term = power(scratch.scores[i] - scratch.log_q[i]);
    drawn += term;
    squares += term * term;
  }
  if (end > begin) sum += drawn / draws;
  LogNormalizer result = {static_cast<float>(static_cast<double>(high) + std::log(sum)), 0.0F};
  if (end - begin > 1) {
    const double mean = drawn / draws;
    const double variance = std::max(squares / draws - mean * mean, 0.0) / (draws - 1.0);
    result.error = static_cast<float>(std::sqrt(variance) / sum);
  }
  return result;
}

OtherClasses estimated_others(std::uint32_t example, const Selection& selection,
                              NormalizerScratch& scratch) {
  scratch.terms.clear();
  scratch.weights.clear();
  for (const Candidate& candidate : selection.of(example).subspan(1)) {
    scratch.terms.push_back(candidate.score);
    scratch.weights.push_back(0.0F);
  }
  const std::size_t begin = scratch.drawn.starts[example];
  const std::size_t end = scratch.drawn.starts[example + 1];
  const auto log_draws = static_cast<float>(std::log(static_cast<double>(end - begin)));
  for (std::size_t i = begin; i < end; ++i) {
    scratch.terms.push_back(scratch.scores[i]);
    scratch.weights.push_back(-scratch.log_q[i] - log_draws);
  }
  return {scratch.terms, scratch.weights, &scratch.scaled};
}

}  // namespace cane
