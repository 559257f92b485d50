// What an evaluation measures. Every measure is listed once, beside its member: visit_fields()
// calls visit(Measure, member) for each, and what programs print, the columns of a comparison, the
// log of a training and the dictionaries of Python are made from these lists. To add a measure, add
// a member and a row here, and compute it in src/predict/evaluate.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cane/config.h"

namespace cane {

enum class MeasureKind { kShare, kNumber, kCount, kSeconds };  // a share is shown as a percentage

enum class MeasureNeeds {
  kNothing,
  kProbabilities,  // has no value where the method has none, or with Probability::kNone
  kOption,         // left out unless an option asks for it
};

struct Measure {
  constexpr Measure(const char* key, const char* heading, MeasureKind of_kind, const char* text)
      : name(key), title(heading), help(text), kind(of_kind) {}
  /// A member that is no number: measures of its own, or a value of an option.
  constexpr Measure(const char* key, const char* heading, const char* text)
      : name(key), title(heading), help(text) {}

  constexpr Measure needing(MeasureNeeds what) const {
    Measure measure = *this;
    measure.needs = what;
    return measure;
  }
  /// It is in the table of a comparison on the terminal; the others are only in its files.
  constexpr Measure in_table() const {
    Measure measure = *this;
    measure.is_in_table = true;
    return measure;
  }
  constexpr Measure less_is_better() const {
    Measure measure = *this;
    measure.is_better_if_less = true;
    return measure;
  }

  const char* name;   // in JSON, CSV and Python
  const char* title;  // for people
  const char* help;
  MeasureKind kind = MeasureKind::kNumber;
  MeasureNeeds needs = MeasureNeeds::kNothing;
  bool is_in_table = false;
  bool is_better_if_less = false;
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
};

/// The rows below say what each measure is. Labels not seen in training count as errors in
/// accuracy, top, coverage and calibration; they are left out of the log loss, and belong to no
/// class.
struct Evaluation {
  double accuracy = 0.0;
  std::map<std::uint32_t, double> top;  // by k
  /// This and the calibration error are empty with Probability::kNone, for methods without
  /// probabilities, and the log loss if no label was seen in training.
  std::optional<double> log_loss;
  /// What the log loss was normalised by; kNone without one, never Probability::kAuto.
  Probability probability = Probability::kNone;
  std::optional<double> calibration_error;
  std::optional<EstimateError> estimate_error;  // kEstimate with EvaluateOptions::details
  double macro_accuracy = 0.0;                  // over the classes that occur as a label
  /// Over the classes that occur as a label or as an answer; and weighted by the examples with the
  /// label. Answers to labels not seen in training count against precision.
  double macro_f1 = 0.0;
  double weighted_f1 = 0.0;
  GroupAccuracy head;
  GroupAccuracy middle;
  GroupAccuracy tail;
  std::optional<RiskPoint> rejected;  // EvaluateOptions::reject, where there are probabilities
  double coverage = 0.0;
  std::uint64_t examples = 0;
  double seconds = 0.0;  // wall-clock time of the search on all threads
  double rows_per_example = 0.0;
  std::uint64_t unseen_labels = 0;
  std::optional<EvaluationDetails> details;  // EvaluateOptions::details; tables, not measures
};

template <typename Visit>
void visit_fields(const GroupAccuracy& group, const Visit& visit) {
  using enum MeasureKind;
  visit(Measure("accuracy", "accuracy", kShare, "accuracy on these classes"), group.accuracy);
  visit(Measure("examples", "examples", kCount, "test examples of these classes"), group.examples);
  visit(Measure("classes", "classes", kCount, "how many of the model's classes these are"),
        group.classes);
}

template <typename Visit>
void visit_fields(const RiskPoint& point, const Visit& visit) {
  using enum MeasureKind;
  visit(Measure("least_probability", "least probability", kNumber,
                "probability below which answers are withheld"),
        point.least_probability);
  visit(Measure("coverage", "answered", kShare, "share of examples that are answered"),
        point.coverage);
  visit(Measure("risk", "of the answers wrong", kShare, "share of errors among the answers"),
        point.risk);
}

template <typename Visit>
void visit_fields(const EstimateError& error, const Visit& visit) {
  using enum MeasureKind;
  visit(Measure("mean", "mean", kNumber, "mean of the estimate less the exact logarithm"),
        error.mean);
  visit(Measure("mean_absolute", "away on average", kNumber, "mean of its absolute value"),
        error.mean_absolute);
  visit(Measure("standard_error", "by the draws", kNumber,
                "standard error that the draws themselves tell"),
        error.standard_error);
  visit(Measure("examples", "examples", kCount, "examples on which both were computed"),
        error.examples);
}

static_assert(kHeadAbove == 100 && kTailBelow == 20, "the help of head, middle and tail says so");

/// In the order of JSON.
template <typename Visit>
void visit_fields(const Evaluation& measures, const Visit& visit) {
  using enum MeasureKind;
  using enum MeasureNeeds;
  visit(Measure("accuracy", "accuracy", kShare,
                "share of test examples whose label is the best class found")
            .in_table(),
        measures.accuracy);
  visit(Measure("top", "top", kShare, "share of test examples whose label is among the best K")
            .in_table(),
        measures.top);
  visit(Measure("log_loss", "log loss", kNumber,
                "mean of -log p(label), over the test examples whose label training saw")
            .needing(kProbabilities)
            .in_table()
            .less_is_better(),
        measures.log_loss);
  visit(Measure("log_loss_by", "normalised by", "normaliser of the probabilities"),
        measures.probability);
  visit(Measure("calibration_error", "calibration error", kShare,
                "how far the probability of the best class is from the share of right answers")
            .needing(kProbabilities)
            .less_is_better(),
        measures.calibration_error);
  visit(Measure("estimate_error", "estimate less exact",
                "error of the estimated logarithm of the normaliser, on some of the examples")
            .needing(kOption)
            .less_is_better(),
        measures.estimate_error);
  visit(Measure("macro_accuracy", "macro accuracy", kShare,
                "mean over the classes of the accuracy on each"),
        measures.macro_accuracy);
  visit(Measure("macro_f1", "macro F1", kShare, "mean over the classes of the F1 of each"),
        measures.macro_f1);
  visit(Measure("weighted_f1", "weighted F1", kShare, "mean over the examples of their class's F1"),
        measures.weighted_f1);
  visit(Measure("head", "head", "accuracy on classes with over 100 training examples"),
        measures.head);
  visit(Measure("middle", "middle", "accuracy on classes with 20 to 100"), measures.middle);
  visit(Measure("tail", "tail", "accuracy on classes with under 20"), measures.tail);
  visit(Measure("rejected", "withheld below",
                "of `reject`: the share that is answered, and how much of that is wrong")
            .needing(kOption),
        measures.rejected);
  visit(Measure("coverage", "coverage", kShare,
                "share of test examples whose label is among the candidates of the search")
            .in_table(),
        measures.coverage);
  visit(Measure("examples", "examples", kCount, "test examples"), measures.examples);
  visit(Measure("seconds", "search time", kSeconds,
                "time to find the best classes of all test examples")
            .less_is_better(),
        measures.seconds);
  visit(Measure("rows_per_example", "rows per example", kCount,
                "weight vectors scored for a test example")
            .in_table()
            .less_is_better(),
        measures.rows_per_example);
  visit(Measure("unseen_labels", "unseen labels", kCount,
                "test examples whose label training never saw; they count as errors"),
        measures.unseen_labels);
}

}  // namespace cane
