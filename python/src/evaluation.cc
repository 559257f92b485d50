#include "evaluation.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "cane/names.h"

namespace cane::python {
namespace {

nb::dict write_group(const GroupAccuracy& group) {
  nb::dict result;
  result["accuracy"] = group.accuracy;
  result["examples"] = group.examples;
  result["classes"] = group.classes;
  return result;
}

nb::dict write_class(const ClassMeasures& measures) {
  nb::dict result;
  result["support"] = measures.support;
  result["predicted"] = measures.predicted;
  result["precision"] = measures.precision();
  result["recall"] = measures.recall();
  result["f1"] = measures.f1();
  result["confused_with"] = measures.confused_with;
  result["confused"] = measures.confused;
  return result;
}

nb::dict write_point(const RiskPoint& point) {
  nb::dict result;
  result["least_probability"] = point.least_probability;
  result["coverage"] = point.coverage;
  result["risk"] = point.risk;
  return result;
}

nb::dict write_details(const EvaluationDetails& details) {
  nb::dict result;
  nb::list classes;
  for (const ClassMeasures& measures : details.classes) classes.append(write_class(measures));
  result["classes"] = classes;
  nb::list confused;
  for (const ConfusedPair& pair : details.confused) {
    confused.append(nb::make_tuple(pair.label, pair.answer, pair.times));
  }
  result["confused"] = confused;
  nb::list bins;
  for (const ReliabilityBin& bin : details.reliability) {
    bins.append(nb::make_tuple(bin.examples, bin.probability, bin.accuracy));
  }
  result["reliability"] = bins;
  nb::list risk;
  for (const RiskPoint& point : details.risk) risk.append(write_point(point));
  result["risk"] = risk;
  return result;
}

}  // namespace

nb::dict write_evaluation(const Evaluation& evaluation) {
  nb::dict result;
  result["accuracy"] = evaluation.accuracy;
  result["top"] = evaluation.top;
  result["log_loss"] = evaluation.log_loss;
  result["probability"] = name_of(evaluation.probability);
  result["calibration_error"] = evaluation.calibration_error;
  result["macro_accuracy"] = evaluation.macro_accuracy;
  result["macro_f1"] = evaluation.macro_f1;
  result["weighted_f1"] = evaluation.weighted_f1;
  result["rejected"] =
      evaluation.rejected ? nb::object(write_point(*evaluation.rejected)) : nb::none();
  result["details"] =
      evaluation.details ? nb::object(write_details(*evaluation.details)) : nb::none();
  result["head"] = write_group(evaluation.head);
  result["middle"] = write_group(evaluation.middle);
  result["tail"] = write_group(evaluation.tail);
  result["coverage"] = evaluation.coverage;
  result["examples"] = evaluation.examples;
  result["unseen_labels"] = evaluation.unseen_labels;
  result["rows_per_example"] = evaluation.rows_per_example;
  result["seconds"] = evaluation.seconds;
  return result;
}

}  // namespace cane::python
