#include "predict/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "core/objective/exponentials.h"
#include "predict/measures.h"

namespace cane {
namespace {

// Batches on which estimated normalisers are compared with exact ones.
constexpr std::size_t kComparedBatches = 4;

// What is not known of single examples.
struct SearchTotals {
  std::uint64_t rows = 0;
  double seconds = 0.0;
  EstimateError estimate;  // sums, not means

  void add(const SearchTotals& other) {
    rows += other.rows;
    seconds += other.seconds;
    estimate.mean += other.estimate.mean;
    estimate.mean_absolute += other.estimate.mean_absolute;
    estimate.standard_error += other.estimate.standard_error;
    estimate.examples += other.estimate.examples;
  }
};

// Returns the place of a class among candidates sorted best first, or kNotFound.
std::uint32_t place_of(ClassId label, std::span<const Candidate> candidates) {
  const auto found = std::ranges::find(candidates, label, &Candidate::class_id);
  return found == candidates.end() ? kNotFound
                                   : static_cast<std::uint32_t>(found - candidates.begin());
}

class BatchEvaluation {
 public:
  BatchEvaluation(const BatchPredictor& predictor, const DatasetView& data,
                  const SearchWidths& widths, const EvaluateOptions& options)
      : predictor_(predictor), data_(data), widths_(widths), options_(options) {
    for (const std::uint32_t k : options.top_k) widest_ = std::max(widest_, k);
  }

  // Processes consecutive examples starting at `first`, one for each element of `outcomes`.
  // With `compares`, the estimated normalisers are compared with the exact ones.
  SearchTotals run(std::size_t first, std::span<Outcome> outcomes, bool compares,
                   BatchPredictor::Workspace& workspace) const {
    std::vector<std::size_t> examples(outcomes.size());
    std::iota(examples.begin(), examples.end(), first);
    SearchTotals totals;
    const Stopwatch stopwatch;
    const auto rows = workspace.gather.gather(data_, std::span<const std::size_t>(examples),
                                              predictor_.prefers_dense_rows());
    predictor_.search(rows, widths_.beam, widths_.beam, workspace);
    totals.seconds = stopwatch.seconds();
    totals.rows = workspace.selection.rows_scored;
    for (std::size_t e = 0; e < outcomes.size(); ++e) {
      const auto candidates = workspace.selection.of(e);
      Outcome& outcome = outcomes[e];
      outcome.label = data_.label(first + e);
      outcome.answer = candidates.front().class_id;
      outcome.place = place_of(outcome.label, candidates);
      outcome.is_covered =
          widths_.covers_all ? outcome.label != kUnknownClass : outcome.place < widths_.candidates;
    }
    if (options_.probability != Probability::kNone) {
      add_probabilities(rows, outcomes, workspace);
      if (compares) add_estimate_error(workspace, totals.estimate);
    }
    if (widest_ > widths_.beam) {
      predictor_.search(rows, widest_, widest_, workspace);
      for (std::size_t e = 0; e < outcomes.size(); ++e) {
        outcomes[e].wide_place = place_of(outcomes[e].label, workspace.selection.of(e));
      }
    }
    return totals;
  }

 private:
  void add_probabilities(std::span<const RowView> rows, std::span<Outcome> outcomes,
                         BatchPredictor::Workspace& workspace) const {
    ClassLists labels;
    for (const Outcome& outcome : outcomes) {
      if (outcome.label != kUnknownClass) labels.classes.push_back(outcome.label);
      labels.end_list();
    }
    std::vector<float> scores(labels.classes.size());
    predictor_.score_classes(labels, workspace, scores.data());
    predictor_.normalize(options_.probability, options_.noises, workspace);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const Normalization& normalization = workspace.normalizations[e];
      Outcome& outcome = outcomes[e];
      const float best = workspace.selection.of(e).front().score;
      outcome.probability = std::exp(normalization.log_probability(best, true));
      if (outcome.label == kUnknownClass) continue;
      double log_probability = static_cast<double>(
          normalization.log_probability(scores[labels.starts[e]], outcome.correct()));
      // Otherwise a label that the search missed could be more than certain.
      if (is_left_out(outcome, e, workspace)) log_probability -= softplus(log_probability);
      outcome.log_probability = static_cast<float>(log_probability);
    }
  }

  // Whether an estimated normaliser lacks the term of a class.
  bool is_left_out(const Outcome& outcome, std::size_t example,
                   const BatchPredictor::Workspace& workspace) const {
    if (options_.probability != Probability::kEstimate || predictor_.is_normalized()) return false;
    const auto drawn = workspace.normalizer.drawn.of(example);
    return outcome.place == kNotFound && std::ranges::find(drawn, outcome.label) == drawn.end();
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
  SearchWidths widths_;
  const EvaluateOptions& options_;
  std::uint32_t widest_ = 1;
};

void add_details(std::span<const Outcome> outcomes, std::span<const std::uint64_t> class_counts,
                 std::vector<ClassMeasures> classes, bool has_probabilities,
                 EvaluationDetails& details) {
  details.confused = confused_pairs(outcomes);
  add_most_confused(details.confused, classes);
  details.classes = std::move(classes);
  details.frequency = frequency_bins(outcomes, class_counts);
  if (!has_probabilities) return;
  details.reliability = reliability_bins(outcomes);
  details.risk = risk_curve(outcomes);
}

// Adds up the totals of all ranks, and puts their outcomes one after the other.
void gather_all(Communicator& ranks, SearchTotals& totals, std::vector<Outcome>& outcomes) {
  if (ranks.is_alone()) return;
  const std::vector<SearchTotals> parts = ranks.all_gather_value(totals);
  const std::vector<Bytes> all = ranks.all_gather(bytes_of(std::span<const Outcome>(outcomes)));
  totals = {};
  outcomes.clear();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    totals.add(parts[rank]);
    const std::vector<Outcome> more = values_of<Outcome>(all[rank]);
    outcomes.insert(outcomes.end(), more.begin(), more.end());
  }
}

double share_of(std::span<const Outcome> outcomes, const auto& holds) {
  return static_cast<double>(std::ranges::count_if(outcomes, holds)) /
         static_cast<double>(std::max<std::size_t>(outcomes.size(), 1));
}

}  // namespace

Evaluation measure(std::span<const Outcome> outcomes, std::span<const std::uint64_t> class_counts,
                   std::uint32_t beam, const EvaluateOptions& options) {
  Evaluation found;
  found.examples = outcomes.size();
  found.accuracy = share_of(outcomes, &Outcome::correct);
  found.coverage = share_of(outcomes, &Outcome::is_covered);
  for (const std::uint32_t k : options.top_k) {
    found.top[k] = share_of(outcomes, [&](const Outcome& outcome) {
      return (k > beam ? outcome.wide_place : outcome.place) < k;
    });
  }
  double log_loss = 0.0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.label == kUnknownClass) {
      ++found.unseen_labels;
    } else {
      log_loss -= static_cast<double>(outcome.log_probability);
    }
  }
  const bool has_probabilities = options.probability != Probability::kNone;
  if (has_probabilities) {
    if (const std::uint64_t seen = outcomes.size() - found.unseen_labels; seen > 0) {
      found.log_loss = log_loss / static_cast<double>(seen);
      found.probability = options.probability;
    }
    found.calibration_error = calibration_error(outcomes);
    if (options.reject > 0.0F) found.rejected = risk_at(outcomes, options.reject);
  }
  found.macro_accuracy = macro_accuracy(outcomes, class_counts.size());
  std::vector<ClassMeasures> classes = class_measures(outcomes, class_counts.size());
  found.macro_f1 = macro_f1(classes);
  found.weighted_f1 = weighted_f1(classes);
  const FrequencyGroups groups = frequency_groups(outcomes, class_counts);
  found.head = groups.head;
  found.middle = groups.middle;
  found.tail = groups.tail;
  if (options.details) {
    add_details(outcomes, class_counts, std::move(classes), has_probabilities,
                found.details.emplace());
  }
  return found;
}

Evaluation evaluate(const BatchPredictor& predictor, const DatasetView& data,
                    std::span<const std::uint64_t> class_counts, const SearchWidths& widths,
                    const EvaluateOptions& asked, const RunContext& context) {
  EvaluateOptions options = asked;
  if (!predictor.has_probabilities()) options.probability = Probability::kNone;
  const BatchEvaluation batch_evaluation(predictor, data, widths, options);
  auto workspaces = predictor.make_workspaces(context.threads());
  const std::size_t batches = (data.size() + kPredictBatch - 1) / kPredictBatch;
  std::vector<SearchTotals> parts(batches);
  std::vector<Outcome> outcomes(data.size());
  const bool compares_estimates = options.details && options.probability == Probability::kEstimate;
  const std::size_t compared_every = (batches + kComparedBatches - 1) / kComparedBatches;
  context.pool().run(batches, [&](std::size_t batch, int worker) {
    const std::size_t first = batch * kPredictBatch;
    const std::size_t count = std::min(kPredictBatch, data.size() - first);
    const bool compares = compares_estimates && batch % compared_every == 0;
    parts[batch] = batch_evaluation.run(first, std::span(outcomes).subspan(first, count), compares,
                                        workspaces[static_cast<std::size_t>(worker)]);
  });
  SearchTotals totals;
  for (const SearchTotals& part : parts) totals.add(part);
  gather_all(context.ranks(), totals, outcomes);

  Evaluation evaluation = measure(outcomes, class_counts, widths.beam, options);
  if (totals.estimate.examples > 0) {
    const auto compared = static_cast<double>(totals.estimate.examples);
    evaluation.estimate_error = {.mean = totals.estimate.mean / compared,
                                 .mean_absolute = totals.estimate.mean_absolute / compared,
                                 .standard_error = totals.estimate.standard_error / compared,
                                 .examples = totals.estimate.examples};
  }
  evaluation.rows_per_example = static_cast<double>(totals.rows) /
                                static_cast<double>(std::max<std::size_t>(outcomes.size(), 1));
  evaluation.seconds =
      totals.seconds / static_cast<double>(context.threads() * context.ranks().ranks());
  return evaluation;
}

}  // namespace cane
