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
#include "cane/context.h"
#include "cane/dataset.h"
#include "cane/examples.h"
#include "cane/model.h"

namespace cane {

struct Feature {
  std::uint32_t index;
  float value;
};

/// Prediction::class_id where PredictOptions::reject withholds the answer; its label is
/// kUnknownLabel.
inline constexpr std::uint32_t kRejectedClass = 0xFFFFFFFF;
inline constexpr const char* kUnknownLabel = "unknown";

struct Prediction {
  std::uint32_t class_id;
  float score;
  /// From the exact or the estimated normaliser, calibrated if the model is (cane/calibrate.h); 0
  /// with Probability::kNone, and for methods without probabilities (see Model::has_probabilities).
  float probability;
  /// Standard error of the logarithm of an estimated normaliser, so about the relative error of the
  /// probability before calibration; 0 if it is exact.
  float log_error = 0.0F;
};

struct PredictOptions {
  std::uint32_t top_k = 1;
  /// Number of classes the search examines closely; 0: as in training. Never below top_k.
  std::uint32_t beam = 0;
  /// How probabilities are normalised.
  Probability probability = Probability::kAuto;
  /// Classes drawn from outside the candidates for the estimated normaliser.
  std::uint32_t noises = 64;
  /// An example whose best class is less probable than this gets one answer: kRejectedClass, with
  /// score and probability of that class. Needs probabilities; 0: every example is answered.
  float reject = 0.0F;
  /// 0: one for each core.
  int threads = 0;
};

/// Where the answers for many examples go: top_k places for each, one example after the other, the
/// best class first. Null: not wanted. A place without an answer has kRejectedClass, the score
/// minus infinity and the probability 0.
struct PredictionArrays {
  std::uint32_t* classes = nullptr;  // always wanted
  float* scores = nullptr;
  float* probabilities = nullptr;
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

  /// Predicts examples in memory on all threads, into arrays. Labels and weights of the examples
  /// are ignored, and texts are taken as they are, without labels in them. Throws NonFiniteError.
  void predict(const Examples& examples, const PredictionArrays& into) const;
  /// The same for a dataset.
  void predict(const Dataset& data, const PredictionArrays& into) const;

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
  friend struct ExamplePrediction;
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
  /// Answers whose probability is below this count as withheld: see Evaluation::rejected.
  float reject = 0.0F;
  int threads = 0;
  /// Whether Evaluation::details is filled in.
  bool details = false;
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

/// How one class was told from the others. A share of nothing is 0.
struct ClassMeasures {
  std::uint64_t support = 0;    // test examples with this label
  std::uint64_t predicted = 0;  // test examples that got this answer
  std::uint64_t correct = 0;    // those that are both
  /// The wrong answer that its examples got most often, and how often; the lower class if several
  /// are equal. Meaningless if `confused` is 0.
  std::uint32_t confused_with = 0;
  std::uint64_t confused = 0;

  double precision() const { return share(correct, predicted); }
  double recall() const { return share(correct, support); }
  /// The harmonic mean of precision and recall.
  double f1() const { return share(2 * correct, support + predicted); }

 private:
  static double share(std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
  }
};

/// Examples of class `label` that were taken for class `answer`.
struct ConfusedPair {
  std::uint32_t label = 0;
  std::uint32_t answer = 0;
  std::uint64_t times = 0;
};

/// One of kCalibrationBins bins of equal width of the probability of the best class.
struct ReliabilityBin {
  std::uint64_t examples = 0;
  double probability = 0.0;  // mean over the examples
  double accuracy = 0.0;
};

/// What is answered, and what of it is wrong, if answers below a probability are withheld.
struct RiskPoint {
  double least_probability = 0.0;
  double coverage = 0.0;  // share of the examples that are answered
  double risk = 0.0;      // share of errors among these
};

/// The classes with `least` to `most` training examples.
struct FrequencyBin {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t classes = 0;   // in the model
  std::uint64_t examples = 0;  // in the test data
  double accuracy = 0.0;
};

/// How far estimated logarithms of normalisers are from the exact ones, on some of the examples.
struct EstimateError {
  double mean = 0.0;            // of estimate - exact: below 0, probabilities are too high
  double mean_absolute = 0.0;   // of its absolute value
  double standard_error = 0.0;  // mean of what the draws themselves say
  std::uint64_t examples = 0;
};

struct EvaluationDetails {
  std::vector<ClassMeasures> classes;   // one for every class of the model
  std::vector<ConfusedPair> confused;   // all pairs that occur, the most frequent first
  std::vector<FrequencyBin> frequency;  // up to a power of two each, the rarest first; none empty
  /// Both are empty without probabilities. The points go from the surest answers to all of them.
  std::vector<ReliabilityBin> reliability;
  std::vector<RiskPoint> risk;
  std::optional<EstimateError> estimate_error;  // with Probability::kEstimate
};

struct Evaluation {
  double accuracy = 0.0;
  std::map<std::uint32_t, double> top;  // k -> share of examples whose label is among the best k
  /// Over the examples whose label was seen in training. Empty with Probability::kNone, for methods
  /// without probabilities, and if there are no such examples.
  std::optional<double> log_loss;
  /// What the probabilities were normalised by; never Probability::kAuto.
  Probability probability = Probability::kNone;
  /// Expected calibration error of the best class, in kCalibrationBins equal-width bins of its
  /// probability; labels not seen in training count as errors. Empty with Probability::kNone and
  /// for methods without probabilities.
  std::optional<double> calibration_error;
  /// Mean per-class accuracy over the classes that occur in the test data. Labels not seen in
  /// training belong to no class and to none of the groups below.
  double macro_accuracy = 0.0;
  /// Mean F1 over the classes that occur as a label or as an answer; and weighted by the number of
  /// examples with the label. Answers to labels not seen in training count against precision.
  double macro_f1 = 0.0;
  double weighted_f1 = 0.0;
  /// With EvaluateOptions::reject, where there are probabilities.
  std::optional<RiskPoint> rejected;
  std::optional<EvaluationDetails> details;
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
  double coverage = 0.0;  // share of examples whose label is among the candidates
  std::uint64_t examples = 0;
  std::uint64_t unseen_labels = 0;  // counted as errors
  double rows_per_example = 0.0;    // class vectors scored by the search
  double seconds = 0.0;             // wall-clock time of the search on all threads
};

/// The data must have been read through the model's labels and features. Ranks that share the data
/// all call it, and all get the evaluation of the whole.
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options = {},
                    const Context& context = {});

}  // namespace cane
