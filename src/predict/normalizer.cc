#include "predict/normalizer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/simd/softmax_kernels.h"

namespace cane {
namespace {

// A sum of exponentials in double, relative to the largest exponent.
class LogSum {
 public:
  explicit LogSum(float high) : high_(static_cast<double>(high)) {}
  void add(float exponent, double scale = 1.0) {
    sum_ += scale * std::exp(static_cast<double>(exponent) - high_);
  }
  float value() const { return static_cast<float>(high_ + std::log(sum_)); }

 private:
  double high_;
  double sum_ = 0.0;
};

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

void exact_log_normalizers(const ClassScorer& scorer, std::span<const RowView> rows,
                           ScoringScratch& scoring, NormalizerScratch& scratch,
                           std::span<float> log_normalizers) {
  const std::size_t pitch = scorer.all_pitch();
  scratch.all_scores.resize(rows.size() * pitch);
  scorer.score_all(rows, scoring, pitch, scratch.all_scores.data());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    log_normalizers[e] = log_sum_exp(scratch.all_scores.data() + e * pitch, scorer.classes());
  }
}

void estimated_log_normalizers(Selector::Worker& selector, const FixedNoise& noise,
                               std::uint32_t noises, std::span<const RowView> rows,
                               const Selection& selection, NormalizerScratch& scratch,
                               std::span<float> log_normalizers) {
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
      noise.sample(scratch.excluded, random, fingerprint(rows[e]), scratch.noises,
                   std::span(scratch.log_q).subspan(drawn.classes.size(), noises));
      drawn.classes.insert(drawn.classes.end(), scratch.noises.begin(), scratch.noises.end());
    }
    drawn.end_list();
  }
  scratch.scores.resize(drawn.classes.size());
  selector.score(rows, drawn, scratch.scores.data());

  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    float high = selection.of(e).front().score;
    for (std::size_t i = drawn.starts[e]; i < drawn.starts[e + 1]; ++i) {
      high = std::max(high, scratch.scores[i] - scratch.log_q[i]);
    }
    LogSum sum(high);
    for (const Candidate& candidate : selection.of(e)) sum.add(candidate.score);
    for (std::size_t i = drawn.starts[e]; i < drawn.starts[e + 1]; ++i) {
      sum.add(scratch.scores[i] - scratch.log_q[i], 1.0 / noises);
    }
    log_normalizers[e] = sum.value();
  }
}

}  // namespace cane
