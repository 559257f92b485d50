// Prediction and evaluation. A predictor is const and thread-safe, and its result for an example
// depends only on the model and that example, never on the rest of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/config.h"
#include "cane/context.h"
#include "cane/dataset.h"
#include "cane/evaluation.h"
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

/// What is known of a row.
struct RowAnswer {
  std::uint64_t example = 0;          // counted from 0, over all ranks
  std::span<const Prediction> best;   // the best classes; empty where there is a gap
  std::optional<GapKind> gap;         // with DataOptions::every_row
  std::span<const std::string> kept;  // the cells of DataOptions::keep_columns
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
  /// With DataOptions::every_row each line is answered, be it blank or bad. `pause` is called
  /// whenever every answer has been delivered and the next one needs more input. Both are called on
  /// the caller's thread, as is `warn`, which receives ReadReport::warnings as soon as a hundred
  /// lines have shown them. Returns the warnings to show to the user. Throws Error at a line that
  /// cannot be parsed, after delivering all answers before it, unless such lines are skipped.
  ReadReport predict_stream(
      const std::string& path, const DataOptions& options,
      const std::function<void(const RowAnswer& answer)>& each,
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
/// calibration error are computed from: exact by default; Probability::kNone omits both measures.
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

/// The data must have been read through the model's labels and features. Ranks that share the data
/// all call it, and all get the evaluation of the whole.
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options = {},
                    const Context& context = {});

}  // namespace cane
