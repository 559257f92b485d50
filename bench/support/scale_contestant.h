// One method in a sweep over the number of classes: training and prediction, timed per example.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/support/bench_training.h"
#include "bench/support/flat_predictor.h"
#include "bench/support/scale_report.h"
#include "bench/support/side_by_side.h"
#include "bench/support/some_examples.h"
#include "cane/names.h"
#include "search/top_scores.h"

namespace cane::bench {

class ScaleContestant {
 public:
  /// The tree and the initial weights are made from all examples; training then uses `timed`.
  ScaleContestant(const DatasetView& all, const DatasetView& timed, std::uint32_t classes,
                  const TrainConfig& asked, ThreadPool& pool) {
    times_.start_seconds = seconds_of([&] {
      model_ = describe_model(all, classes, asked, pool);
      const TrainState start = fresh_state(model_, all, pool);
      training_ = std::make_unique<BenchTraining>(model_, timed, start, pool);
    });
    times_.method = name();
    times_.train_examples = timed.size();
  }

  /// The mean over `epochs` epochs, after one that is not counted. If searches are remembered, the
  /// mean covers epochs with and without searches.
  void time_training(std::uint32_t epochs) {
    training_->run_epochs(1);
    const double seconds = seconds_of([&] { training_->run_epochs(1 + epochs); });
    times_.train_microseconds = 1e6 * seconds / epochs / static_cast<double>(times_.train_examples);
    const StepStats& totals = training_->totals();
    times_.rows = static_cast<double>(totals.rows_scored) / static_cast<double>(totals.examples);
  }

  /// The median over the rounds, for the first `examples` of the data and the best `top_k` classes
  /// of each, with a search of this width.
  void time_prediction(const DatasetView& data, std::size_t examples, std::uint32_t beam,
                       std::uint32_t top_k, int rounds) {
    const BatchPredictor predictor = make_predictor(model_, views_of(training_->weights()));
    BatchPredictor::Workspace workspace = predictor.make_workspace();
    const std::uint32_t width = std::max(search_widths(model_, beam).beam, top_k);
    Batches batches(data, examples, predictor.prefers_dense_rows());
    const auto seconds =
        take_turns(rounds, {[&] {
                     found_.clear();
                     rows_scored_ = 0;
                     batches.each(kPredictBatch, [&](std::span<const RowView> rows) {
                       predictor.search(rows, width, top_k, workspace);
                       rows_scored_ += workspace.selection.rows_scored;
                       for (std::size_t e = 0; e < rows.size(); ++e) {
                         found_.push_back(workspace.selection.of(e)[0].class_id);
                       }
                     });
                   }});
    note_prediction(examples, seconds[0]);
    times_.predict_rows = static_cast<double>(rows_scored_) / static_cast<double>(examples);
  }

  /// The same with the scores of all classes: matrix products of many examples, so that the weights
  /// are read as few times as possible. Only for rows of weights.
  void time_flat_prediction(const DatasetView& data, std::size_t examples, std::uint32_t top_k,
                            int rounds) {
    const FlatScorer scorer(static_cast<std::uint32_t>(model_.vocabulary.labels.size()),
                            model_.tables[kClassTable].layout,
                            training_->weights()[kClassTable].data());
    const std::size_t pitch = scorer.all_pitch();
    std::vector<float> scores(kFlatBatch * pitch);
    ScoringScratch scratch;
    TopScores top;
    Batches batches(data, examples, scorer.prefers_dense_rows());
    const auto seconds = take_turns(rounds, {[&] {
                                      batches.each(kFlatBatch, [&](std::span<const RowView> rows) {
                                        scorer.score_all(rows, scratch, pitch, scores.data());
                                        for (std::size_t e = 0; e < rows.size(); ++e) {
                                          top.top_k(std::span(scores).subspan(e * pitch, pitch),
                                                    scorer.classes(), top_k);
                                        }
                                      });
                                    }});
    note_prediction(examples, seconds[0]);
  }

  /// The accuracy of the predictions by search.
  void note_accuracy(const DatasetView& data) {
    times_.accuracy = agreement(found_, labels_of(data, found_.size()));
  }
  /// The same by the scores of all classes.
  void measure_accuracy(const DatasetView& data) {
    times_.accuracy = agreement(best_of_all(data, data.size()), labels_of(data, data.size()));
  }

  /// The share of predictions by search whose first class no other class beats.
  double agreement_with_all(const DatasetView& data) const {
    return agreement(found_, best_of_all(data, found_.size()));
  }

  const MethodTimes& times() const { return times_; }

 private:
  static constexpr std::size_t kFlatBatch = 64;

  std::vector<ClassId> best_of_all(const DatasetView& data, std::size_t examples) const {
    const FlatRows rows(model_, training_->weights()[kClassTable].data(), kRowWidth);
    FlatPredictor flat(rows);
    std::vector<ClassId> best;
    Batches(data, examples, true).each(kFlatBatch, [&](std::span<const RowView> batch) {
      flat.best(batch, best);
    });
    return best;
  }

  static std::vector<ClassId> labels_of(const DatasetView& data, std::size_t examples) {
    std::vector<ClassId> labels;
    for (std::size_t e = 0; e < examples; ++e) labels.push_back(data.label(e));
    return labels;
  }

  void note_prediction(std::size_t examples, const std::vector<double>& seconds) {
    times_.predict_examples = examples;
    times_.predict_microseconds = 1e6 * median(seconds) / static_cast<double>(examples);
  }

  std::string name() const {
    return model_.config.method == Method::kCane ? name_of(model_.config.select)
                                                 : name_of(model_.config.method);
  }

  ModelData model_;
  std::unique_ptr<BenchTraining> training_;
  MethodTimes times_;
  std::vector<ClassId> found_;
  std::uint64_t rows_scored_ = 0;
};

}  // namespace cane::bench
