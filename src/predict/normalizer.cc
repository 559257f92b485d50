#include "predict/normalizer.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

// The same for a row that is stored dense and sparse: only values other than zero count.
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

void exact_log_normalizers(const PathScorer& scorer, std::span<const RowView> rows,
                           PathScorer::Workspace& scoring, NormalizerWorkspace& workspace,
                           std::span<float> log_normalizers) {
  scorer.score_all(rows, workspace.node_scores, scoring);
  const ClassTree& tree = scorer.tree();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const float* scores = workspace.node_scores.data() + e * scorer.all_nodes_slot();
    float high = -INFINITY;
    for (ClassId k = 0; k < tree.class_count(); ++k) high = std::max(high, scores[tree.leaf_of(k)]);
    LogSum sum(high);
    for (ClassId k = 0; k < tree.class_count(); ++k) sum.add(scores[tree.leaf_of(k)]);
    log_normalizers[e] = sum.value();
  }
}

void estimated_log_normalizers(const BeamSearch& selector, const NoiseSampler& noise,
                               std::uint32_t classes, std::uint32_t noises,
                               std::span<const RowView> rows, const Selection& selection,
                               BeamSearch::Workspace& search, NormalizerWorkspace& workspace,
                               std::span<float> log_normalizers) {
  const CounterRandom random(0, RandomPurpose::kEstimate);
  workspace.noises.resize(noises);
  workspace.log_q.resize(rows.size() * noises);
  workspace.requests.clear();
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    workspace.excluded.clear();
    for (const Candidate& candidate : selection.of(e)) {
      workspace.excluded.push_back(candidate.label);
    }
    if (workspace.excluded.size() == classes) continue;
    std::sort(workspace.excluded.begin(), workspace.excluded.end());
    noise.sample(workspace.excluded, random, fingerprint(rows[e]), workspace.noises,
                 std::span(workspace.log_q).subspan(workspace.requests.size(), noises));
    for (const ClassId drawn : workspace.noises) workspace.requests.push_back({e, drawn});
  }
  workspace.scores.resize(workspace.requests.size());
  selector.score_classes(rows, workspace.requests, search, workspace.scores.data());

  std::size_t next = 0;
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    const std::size_t begin = next;
    while (next < workspace.requests.size() && workspace.requests[next].example == e) ++next;
    float high = selection.of(e).front().score;
    for (std::size_t i = begin; i < next; ++i) {
      high = std::max(high, workspace.scores[i] - workspace.log_q[i]);
    }
    LogSum sum(high);
    for (const Candidate& candidate : selection.of(e)) sum.add(candidate.score);
    for (std::size_t i = begin; i < next; ++i) {
      sum.add(workspace.scores[i] - workspace.log_q[i], 1.0 / noises);
    }
    log_normalizers[e] = sum.value();
  }
}

}  // namespace cane
