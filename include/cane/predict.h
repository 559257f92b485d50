// Prediction and evaluation. A predictor is const and thread-safe, and its result for an example
// depends only on the model and that example, never on the rest of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/model.h"

namespace cane {

struct Feature {
  std::uint32_t index;
  float value;
};

struct Prediction {
  std::uint32_t class_id;
  float score;
  /// From the exact or the estimated normaliser; 0 with Probability::kNone, and for methods without
  /// probabilities (see Model::has_probabilities).
  float probability;
};

struct PredictOptions {
  std::uint32_t top_k = 1;
  /// Number of classes the search examines closely; 0: as in training. Never below top_k.
  std::uint32_t beam = 0;
  /// How probabilities are normalised.
  Probability probability = Probability::kEstimate;
  /// Classes drawn from outside the candidates for the estimated normaliser.
  std::uint32_t noises = 64;
  /// 0: one for each core.
  int threads = 0;
};

class Predictor {
 public:
  explicit Predictor(Model model, const PredictOptions& options = {});
  ~Predictor();

  /// The top_k best classes, best first. Indices must be increasing; those outside the model's
  /// dimension are ignored. The model weights and scales the values as in training.
  std::vector<Prediction> predict(std::span<const Feature> features) const;

  /// The same for text in the form of one line of a data file, with or without a label: words or
  /// `index:value` pairs, whichever the model was trained on. Names that were not seen in training
  /// are ignored; line ends count as blanks. kAuto detects the format from the text and otherwise
  /// assumes fastText for words and svmlight for indices. Throws Error if the text does not match
  /// the format.
  std::vector<Prediction> predict(std::string_view text, Format format = Format::kAuto) const;

  /// Predicts all examples on all threads; `each` is called on the caller's thread, in the order of
  /// the examples.
  void predict(
      const Dataset& data,
      const std::function<void(std::size_t example, std::span<const Prediction>)>& each) const;

  /// Predicts the lines of a stream ("-": standard input, or the name of a pipe) as they come in:
  /// immediately if they come slowly, in batches on all threads if they come fast, always in order.
  /// `each` receives the number of the example, from 0, and its best classes; `pause` is called
  /// whenever every answer has been delivered and the next one needs more input. Both are called on
  /// the caller's thread, as is `warn`, which receives ReadReport::warnings as soon as a hundred
  /// lines have shown them. Returns the warnings to show to the user. Throws Error at a line that
  /// cannot be parsed, after delivering all answers before it, unless such lines are skipped.
  ReadReport predict_stream(
      const std::string& path, const DataOptions& options,
      const std::function<void(std::size_t example, std::span<const Prediction>)>& each,
      const std::function<void()>& pause = [] {},
      const std::function<void(const std::string& warning)>& warn =
          [](const std::string&) {}) const;

  const std::string& label(std::uint32_t class_id) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// Like PredictOptions, but with several K at once and with the probabilities that log loss and
/// calibration error are computed from: exact by default; Probability::kNone omits both metrics.
struct EvaluateOptions {
  std::vector<std::uint32_t> top_k = {1, 5};
  std::uint32_t beam = 0;
  Probability probability = Probability::kExact;
  std::uint32_t noises = 64;
  int threads = 0;
};

/// Head classes have more than kHeadAbove training examples, tail classes fewer than kTailBelow;
/// the remaining classes are in the middle.
inline constexpr std::uint64_t kHeadAbove = 100;
inline constexpr std::uint64_t kTailBelow = 20;
inline constexpr std::uint32_t kCalibrationBins = 15;

struct GroupAccuracy {
  std::optional<double> accuracy;  // empty without examples
  std::uint64_t examples = 0;      // in the test data
  std::uint64_t classes = 0;       // in the model, whether or not the test data has them
};

struct Evaluation {
  double accuracy = 0.0;
  std::map<std::uint32_t, double> top;  // k -> share of examples whose label is among the best k
  /// Over the examples whose label was seen in training. Empty with Probability::kNone, for methods
  /// without probabilities, and if there are no such examples.
  std::optional<double> log_loss;
  /// Expected calibration error of the best class, in kCalibrationBins equal-width bins of its
  /// probability; labels not seen in training count as errors. Empty with Probability::kNone and
  /// for methods without probabilities.
  std::optional<double> calibration_error;
  /// Mean per-class accuracy over the classes that occur in the test data. Labels not seen in
  /// training belong to no class and to none of the groups below.
  double macro_accuracy = 0.0;
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
  double coverage = 0.0;  // share of examples whose label is among the candidates
  std::uint64_t examples = 0;
  std::uint64_t unseen_labels = 0;  // counted as errors
  double rows_per_example = 0.0;    // class vectors scored by the search
  double seconds = 0.0;             // wall-clock time of the search on all threads
};

/// The data must have been read through the model's labels and features.
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options = {});

}  // namespace cane
