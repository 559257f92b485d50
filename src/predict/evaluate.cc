#include "predict/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "predict/class_measures.h"
#include "predict/measures.h"
#include "predict/risk.h"

namespace cane {
namespace {

// Batches on which estimated normalisers are compared with exact ones.
constexpr std::size_t kComparedBatches = 4;

struct PlainCounts {
  std::uint64_t correct = 0;
  std::uint64_t covered = 0;
  std::uint64_t unseen = 0;
  std::uint64_t rows = 0;
  double log_loss = 0.0;
  double search_seconds = 0.0;
  EstimateError estimate;  // sums, not means
};

struct Counts {
  PlainCounts plain;
  std::vector<std::uint64_t> top;  // one for each k

  void add(const Counts& other) {
    plain.correct += other.plain.correct;
    plain.covered += other.plain.covered;
    plain.unseen += other.plain.unseen;
    plain.rows += other.plain.rows;
    plain.log_loss += other.plain.log_loss;
    plain.search_seconds += other.plain.search_seconds;
    plain.estimate.mean += other.plain.estimate.mean;
    plain.estimate.mean_absolute += other.plain.estimate.mean_absolute;
    plain.estimate.standard_error += other.plain.estimate.standard_error;
    plain.estimate.examples += other.plain.estimate.examples;
    for (std::size_t i = 0; i < top.size(); ++i) top[i] += other.top[i];
  }
};

// Returns the rank of a class among candidates sorted best first, or their number if it is absent.
std::size_t place_of(ClassId label, std::span<const Candidate> candidates) {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& candidate) { return candidate.class_id == label; });
  return static_cast<std::size_t>(found - candidates.begin());
}

// log(1 + e^x)
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

bool has_log_loss(const BatchPredictor& predictor, const EvaluateOptions& options) {
  return options.probability != Probability::kNone && predictor.has_probabilities();
}

class BatchEvaluation {
 public:
  BatchEvaluation(const BatchPredictor& predictor, const DatasetView& data,
                  const SearchWidths& widths, const EvaluateOptions& options)
      : predictor_(predictor),
        data_(data),
        beam_(widths.beam),
        widths_(widths),
        options_(options),
        has_loss_(has_log_loss(predictor, options)) {
    for (const std::uint32_t k : options.top_k) widest_ = std::max(widest_, k);
  }

  // Processes consecutive examples starting at `first`, one for each element of `outcomes`.
  // With `compares`, the estimated normalisers are compared with the exact ones.
  Counts run(std::size_t first, std::span<Outcome> outcomes, bool compares,
             BatchPredictor::Workspace& workspace) const {
    const std::size_t count = outcomes.size();
    std::vector<std::size_t> examples(count);
    std::iota(examples.begin(), examples.end(), first);
    Counts counts;
    counts.top.resize(options_.top_k.size());
    const Stopwatch stopwatch;
    const auto rows = workspace.gather.gather(data_, std::span<const std::size_t>(examples),
                                              predictor_.prefers_dense_rows());
    predictor_.search(rows, beam_, beam_, workspace);
    counts.plain.search_seconds = stopwatch.seconds();
    counts.plain.rows = workspace.selection.rows_scored;
    for (std::size_t e = 0; e < count; ++e) {
      const ClassId label = data_.label(first + e);
      const auto candidates = workspace.selection.of(e);
      const std::size_t place = place_of(label, candidates);
      counts.plain.unseen += label == kUnknownClass ? 1 : 0;
      counts.plain.correct += place == 0 ? 1 : 0;
      const bool among_candidates =
          place < std::min<std::size_t>(widths_.candidates, candidates.size());
      const bool covered = widths_.covers_all ? label != kUnknownClass : among_candidates;
      counts.plain.covered += covered ? 1 : 0;
      count_top(0, beam_, place, candidates.size(), counts);
      outcomes[e].label = label;
      outcomes[e].correct = place == 0;
      outcomes[e].answer = candidates.front().class_id;
    }
    if (has_loss_) {
      add_log_loss(first, rows, outcomes, workspace, counts);
      if (compares) add_estimate_error(workspace, counts.plain.estimate);
    }
    if (widest_ > beam_) {
      predictor_.search(rows, widest_, widest_, workspace);
      for (std::size_t e = 0; e < count; ++e) {
        const auto candidates = workspace.selection.of(e);
        const std::size_t place = place_of(data_.label(first + e), candidates);
        count_top(beam_, widest_, place, candidates.size(), counts);
      }
    }
    return counts;
  }

 private:
  // For every k in (above, up_to], counts whether the label, at rank `place`, is in the top k.
  void count_top(std::uint32_t above, std::uint32_t up_to, std::size_t place,
                 std::size_t candidates, Counts& counts) const {
    for (std::size_t i = 0; i < options_.top_k.size(); ++i) {
      const std::uint32_t k = options_.top_k[i];
      if (k <= above || k > up_to) continue;
      counts.top[i] += place < std::min<std::size_t>(k, candidates) ? 1 : 0;
    }
  }

  void add_log_loss(std::size_t first, std::span<const RowView> rows, std::span<Outcome> outcomes,
                    BatchPredictor::Workspace& workspace, Counts& counts) const {
    ClassLists labels;
    for (std::uint32_t e = 0; e < rows.size(); ++e) {
      const ClassId label = data_.label(first + e);
      if (label != kUnknownClass) labels.classes.push_back(label);
      labels.end_list();
    }
    std::vector<float> scores(labels.classes.size());
    predictor_.score_classes(labels, workspace, scores.data());
    predictor_.normalize(options_.probability, options_.noises, workspace);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const Normalization& normalization = workspace.normalizations[e];
      const Candidate best = workspace.selection.of(e).front();
      outcomes[e].probability = std::exp(normalization.log_probability(best.score, true));
      for (std::uint32_t i = labels.starts[e]; i < labels.starts[e + 1]; ++i) {
        const bool is_best = labels.classes[i] == best.class_id;
        double log_probability =
            static_cast<double>(normalization.log_probability(scores[i], is_best));
        // Otherwise a label that the search missed could be more than certain.
        if (is_left_out(labels.classes[i], e, workspace)) {
          log_probability -= softplus(log_probability);
        }
        counts.plain.log_loss -= log_probability;
      }
    }
  }

  // Whether an estimated normaliser lacks the term of a class.
  bool is_left_out(ClassId class_id, std::size_t example,
                   const BatchPredictor::Workspace& workspace) const {
    if (options_.probability != Probability::kEstimate || predictor_.is_normalized()) return false;
    const auto candidates = workspace.selection.of(example);
    const auto drawn = workspace.normalizer.drawn.of(example);
    return place_of(class_id, candidates) == candidates.size() &&
           std::find(drawn.begin(), drawn.end(), class_id) == drawn.end();
  }

  void add_estimate_error(BatchPredictor::Workspace& workspace, EstimateError& sums) const {
    predictor_.compute_log_normalizers(Probability::kEstimate, options_.noises, workspace);
    const std::vector<LogNormalizer> estimates = workspace.log_normalizers;
    predictor_.compute_log_normalizers(Probability::kExact, options_.noises, workspace);
    for (std::size_t e = 0; e < estimates.size(); ++e) {
      const double gap =
          static_cast<double>(estimates[e].value - workspace.log_normalizers[e].value);
      sums.mean += gap;
      sums.mean_absolute += std::abs(gap);
      sums.standard_error += static_cast<double>(estimates[e].error);
    }
    sums.examples += estimates.size();
  }

  const BatchPredictor& predictor_;
  const DatasetView& data_;
  std::uint32_t beam_;
  SearchWidths widths_;
  const EvaluateOptions& options_;
  bool has_loss_;
  std::uint32_t widest_ = 1;
};

void add_class_measures(std::span<const Outcome> outcomes,
                        std::span<const std::uint64_t> class_counts, bool has_probabilities,
                        const EvaluateOptions& options, Evaluation& evaluation) {
  std::vector<ClassMeasures> classes = class_measures(outcomes, class_counts.size());
  evaluation.macro_f1 = macro_f1(classes);
  evaluation.weighted_f1 = weighted_f1(classes);
  if (options.reject > 0.0F && has_probabilities) {
    evaluation.rejected = risk_at(outcomes, options.reject);
  }
  if (!options.details) return;
  EvaluationDetails& details = evaluation.details.emplace();
  details.confused = confused_pairs(outcomes);
  add_most_confused(details.confused, classes);
  details.classes = std::move(classes);
  details.frequency = frequency_bins(outcomes, class_counts);
  if (!has_probabilities) return;
  details.reliability = reliability_bins(outcomes);
  details.risk = risk_curve(outcomes);
}

// Adds up the counts of all ranks, and puts their outcomes one after the other.
void gather_all(Communicator& ranks, Counts& counts, std::vector<Outcome>& outcomes) {
  if (ranks.is_alone()) return;
  const std::vector<PlainCounts> plain = ranks.all_gather_value(counts.plain);
  const std::vector<Bytes> top =
      ranks.all_gather(bytes_of(std::span<const std::uint64_t>(counts.top)));
  const std::vector<Bytes> all = ranks.all_gather(bytes_of(std::span<const Outcome>(outcomes)));
  counts = {.plain = {}, .top = std::vector<std::uint64_t>(counts.top.size())};
  outcomes.clear();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    counts.add({plain[rank], values_of<std::uint64_t>(top[rank])});
    const std::vector<Outcome> more = values_of<Outcome>(all[rank]);
    outcomes.insert(outcomes.end(), more.begin(), more.end());
  }
}

}  // namespace

Evaluation evaluate(const BatchPredictor& predictor, const DatasetView& data,
                    std::span<const std::uint64_t> class_counts, const SearchWidths& widths,
                    const EvaluateOptions& options, const RunContext& context) {
  const BatchEvaluation batch_evaluation(predictor, data, widths, options);
  auto workspaces = predictor.make_workspaces(context.threads());
  const std::size_t batches = (data.size() + kPredictBatch - 1) / kPredictBatch;
  std::vector<Counts> counts(batches);
  std::vector<Outcome> outcomes(data.size());
  const bool is_estimated = options.details && options.probability == Probability::kEstimate &&
                            predictor.has_probabilities();
  const std::size_t compared_every = (batches + kComparedBatches - 1) / kComparedBatches;
  context.pool().run(batches, [&](std::size_t batch, int worker) {
    const std::size_t first = batch * kPredictBatch;
    const std::size_t count = std::min(kPredictBatch, data.size() - first);
    const bool compares = is_estimated && batch % compared_every == 0;
    counts[batch] = batch_evaluation.run(first, std::span(outcomes).subspan(first, count), compares,
                                         workspaces[static_cast<std::size_t>(worker)]);
  });
  Counts total;
  total.top.resize(options.top_k.size());
  for (const Counts& part : counts) total.add(part);
  gather_all(context.ranks(), total, outcomes);

  const auto share = [&](std::uint64_t count) {
    return static_cast<double>(count) /
           static_cast<double>(std::max<std::size_t>(outcomes.size(), 1));
  };
  Evaluation evaluation;
  evaluation.accuracy = share(total.plain.correct);
  for (std::size_t i = 0; i < options.top_k.size(); ++i) {
    evaluation.top[options.top_k[i]] = share(total.top[i]);
  }
  const std::uint64_t seen = outcomes.size() - total.plain.unseen;
  if (has_log_loss(predictor, options)) {
    if (seen > 0) evaluation.log_loss = total.plain.log_loss / static_cast<double>(seen);
    evaluation.calibration_error = calibration_error(outcomes);
    evaluation.probability = options.probability;
  }
  if (total.plain.estimate.examples > 0) {
    const auto compared = static_cast<double>(total.plain.estimate.examples);
    total.plain.estimate.mean /= compared;
    total.plain.estimate.mean_absolute /= compared;
    total.plain.estimate.standard_error /= compared;
  }
  evaluation.macro_accuracy = macro_accuracy(outcomes, class_counts.size());
  add_class_measures(outcomes, class_counts, has_log_loss(predictor, options), options, evaluation);
  if (total.plain.estimate.examples > 0) evaluation.details->estimate_error = total.plain.estimate;
  const FrequencyGroups groups = frequency_groups(outcomes, class_counts);
  evaluation.head = groups.head;
  evaluation.middle = groups.middle;
  evaluation.tail = groups.tail;
  evaluation.coverage = share(total.plain.covered);
  evaluation.examples = outcomes.size();
  evaluation.unseen_labels = total.plain.unseen;
  evaluation.rows_per_example = share(total.plain.rows);
  evaluation.seconds =
      total.plain.search_seconds / static_cast<double>(context.threads() * context.ranks().ranks());
  return evaluation;
}

}  // namespace cane
