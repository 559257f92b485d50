// Prediction and its measures. A predictor is const and thread-safe, and what it says of an example
// depends on the model and that example alone, never on the others in a batch.
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
  /// By the exact normaliser or the estimated one; 0 with Probability::kNone, and where the method
  /// has none: see Model::has_probabilities.
  float probability;
};

struct PredictOptions {
  std::uint32_t top_k = 1;
  /// Classes the search looks at closely; 0: as many as in training. Never below top_k.
  std::uint32_t beam = 0;
  /// The normaliser of probabilities.
  Probability probability = Probability::kEstimate;
  /// Classes drawn outside the candidates for the estimated normaliser.
  std::uint32_t noises = 64;
  /// 0: one for each core.
  int threads = 0;
};

class Predictor {
 public:
  explicit Predictor(Model model, const PredictOptions& options = {});
  ~Predictor();

  /// The top_k best classes, best first. Indices must be increasing; those outside the model's
  /// dimension are ignored. A model trained with Normalize::kL2 scales the features itself.
  std::vector<Prediction> predict(std::span<const Feature> features) const;

  /// The same for a text as it would stand in a line of a file, with a label or without: words, or
  /// `index:value` pairs, as the model was trained on. Names that training never saw are ignored,
  /// line ends count as blanks. kAuto: the format that the text shows, else fastText for words and
  /// svmlight for indices. Throws Error if the text is not of the format.
  std::vector<Prediction> predict(std::string_view text, Format format = Format::kAuto) const;

  /// All examples on all threads; `each` is called in order of the examples, from the caller's
  /// thread.
  void predict(
      const Dataset& data,
      const std::function<void(std::size_t example, std::span<const Prediction>)>& each) const;

  /// Answers the lines of a stream ("-": standard input, or the name of a pipe) as they come: at
  /// once when they come slowly, in batches on all threads when they come fast, always in order.
  /// `each` gets the number of the example, from 0, and its best classes; `pause` is called
  /// whenever no answer is left to give and none can be found without more input. Both are called
  /// from the caller's thread. Returns what a user wants to hear about. Throws Error at a line that
  /// cannot be read, after all answers before it, unless such lines are skipped.
  ReadReport predict_stream(
      const std::string& path, const DataOptions& options,
      const std::function<void(std::size_t example, std::span<const Prediction>)>& each,
      const std::function<void()>& pause = [] {}) const;

  const std::string& label(std::uint32_t class_id) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// As PredictOptions, but for several K at once, and with probabilities that log loss and
/// calibration error are computed from: exact unless set, and Probability::kNone leaves both out.
struct EvaluateOptions {
  std::vector<std::uint32_t> top_k = {1, 5};
  std::uint32_t beam = 0;
  Probability probability = Probability::kExact;
  std::uint32_t noises = 64;
  int threads = 0;
};

/// Classes are in the head with more than kHeadAbove training examples, in the tail with fewer than
/// kTailBelow, in the middle otherwise.
inline constexpr std::uint64_t kHeadAbove = 100;
inline constexpr std::uint64_t kTailBelow = 20;
inline constexpr std::uint32_t kCalibrationBins = 15;

struct GroupAccuracy {
  std::optional<double> accuracy;  // none without examples
  std::uint64_t examples = 0;      // of the test data
  std::uint64_t classes = 0;       // of the model, whether the test data has them or not
};

struct Evaluation {
  double accuracy = 0.0;
  std::map<std::uint32_t, double> top;  // k -> share of examples whose label is among the best k
  /// Over the examples whose label training saw. None with Probability::kNone, where the method has
  /// no probabilities, and where there are no such examples.
  std::optional<double> log_loss;
  /// Expected calibration error of the best class, in kCalibrationBins equal bins of its
  /// probability; labels that training never saw are errors. None with Probability::kNone, and
  /// where the method has no probabilities.
  std::optional<double> calibration_error;
  /// Mean over the classes that occur in the test data of the accuracy on their examples. Labels
  /// that training never saw are in no class, and in none of the groups below.
  double macro_accuracy = 0.0;
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
  double coverage = 0.0;  // share of examples whose label is among the candidates
  std::uint64_t examples = 0;
  std::uint64_t unseen_labels = 0;  // counted as errors
  double rows_per_example = 0.0;    // class vectors scored by the search
  double seconds = 0.0;             // of the search, all threads together at work
};

/// The data must have been read through the model's labels and features.
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options = {});

}  // namespace cane
