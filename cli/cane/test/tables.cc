#include "cli/cane/test/tables.h"

#include <fmt/format.h>

#include "app/report/markup.h"

namespace cane::cli {

std::string classes_csv(const EvaluationDetails& details, const std::vector<std::string>& labels) {
  std::string csv =
      "class,precision,recall,f1,support,predicted,most_confused_with,times_confused\n";
  for (std::size_t i = 0; i < details.classes.size(); ++i) {
    const ClassMeasures& one = details.classes[i];
    csv += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(labels[i]), one.precision(),
                       one.recall(), one.f1(), one.support, one.predicted,
                       one.confused > 0 ? csv_field(labels[one.confused_with]) : "", one.confused);
  }
  return csv;
}

std::string confused_csv(const EvaluationDetails& details, const std::vector<std::string>& labels) {
  std::string csv = "class,taken_for,times\n";
  for (const ConfusedPair& pair : details.confused) {
    csv += fmt::format("{},{},{}\n", csv_field(labels[pair.label]), csv_field(labels[pair.answer]),
                       pair.times);
  }
  return csv;
}

std::string reliability_csv(const EvaluationDetails& details) {
  std::string csv = "from,to,examples,mean_probability,accuracy\n";
  const auto bins = static_cast<double>(details.reliability.size());
  for (std::size_t i = 0; i < details.reliability.size(); ++i) {
    const ReliabilityBin& bin = details.reliability[i];
    const auto low = static_cast<double>(i);
    csv += fmt::format("{:.4f},{:.4f},{},", low / bins, (low + 1.0) / bins, bin.examples);
    csv += bin.examples > 0 ? fmt::format("{},{}\n", bin.probability, bin.accuracy) : ",\n";
  }
  return csv;
}

std::string risk_csv(const EvaluationDetails& details) {
  std::string csv = "least_probability,coverage,risk\n";
  for (const RiskPoint& point : details.risk) {
    csv += fmt::format("{},{},{}\n", point.least_probability, point.coverage, point.risk);
  }
  return csv;
}

std::string frequency_csv(const EvaluationDetails& details) {
  std::string csv = "from,to,classes,examples,accuracy\n";
  for (const FrequencyBin& bin : details.frequency) {
    csv += fmt::format("{},{},{},{},{}\n", bin.least, bin.most, bin.classes, bin.examples,
                       bin.examples > 0 ? fmt::format("{}", bin.accuracy) : "");
  }
  return csv;
}

std::string beams_csv(const std::vector<BeamMeasure>& beams) {
  std::string csv = "beam,coverage,accuracy,rows_per_example\n";
  for (const BeamMeasure& one : beams) {
    csv += fmt::format("{},{},{},{}\n", one.beam, one.coverage, one.accuracy, one.rows_per_example);
  }
  return csv;
}

}  // namespace cane::cli
