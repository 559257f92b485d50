#include "evaluation.h"

#include <nanobind/stl/map.h>

#include <type_traits>

#include "cane/names.h"

namespace cane::python {
namespace {

// A number, the shares of top k, the name of a value, or measures as a dictionary; None without.
template <typename Value>
nb::object write(const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? write(*value) : nb::none();
  } else if constexpr (std::is_enum_v<Value>) {
    return nb::cast(name_of(value));
  } else if constexpr (requires { visit_fields(value, [](const Measure&, const auto&) {}); }) {
    nb::dict result;
    visit_fields(value, [&](const Measure& measure, const auto& member) {
      result[measure.name] = write(member);
    });
    return result;
  } else {
    return nb::cast(value);
  }
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
  for (const RiskPoint& point : details.risk) risk.append(write(point));
  result["risk"] = risk;
  return result;
}

}  // namespace

nb::dict write_evaluation(const Evaluation& evaluation) {
  auto result = nb::cast<nb::dict>(write(evaluation));
  result["details"] =
      evaluation.details ? nb::object(write_details(*evaluation.details)) : nb::none();
  return result;
}

}  // namespace cane::python
