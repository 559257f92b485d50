#include "options.h"

#include <cmath>

namespace cane::python {
namespace {

template <typename Value>
const char* type_name() {
  if constexpr (std::is_enum_v<Value>) return "choice";
  if constexpr (std::is_same_v<Value, bool>) return "bool";
  if constexpr (std::is_same_v<Value, std::string>) return "str";
  if constexpr (std::is_same_v<Value, CharNgrams>) return "pair";
  if constexpr (std::is_same_v<Value, std::vector<std::uint32_t>>) return "ints";
  if constexpr (std::is_floating_point_v<Value>) return "float";
  return "int";
}

nb::object limit(double number) {
  return std::isinf(number) ? nb::none() : nb::cast(number);
}

template <typename Value>
nb::object choices() {
  if constexpr (std::is_enum_v<Value>) {
    nb::list values;
    for (const auto& entry : named_values<Value>()) {
      values.append(nb::make_tuple(entry.name, entry.summary));
    }
    return values;
  } else {
    return nb::none();
  }
}

template <typename Options>
nb::list describe() {
  nb::list rows;
  const Options defaults;
  visit_fields(defaults, [&](const Field& field, const auto& member) {
    using Value = std::decay_t<decltype(member)>;
    nb::dict row;
    row["name"] = field.name;
    row["group"] = field.group;
    row["help"] = field.help;
    row["type"] = type_name<Value>();
    row["default"] = write_value(field, member);
    row["values"] = choices<Value>();
    row["takes"] = field.values;
    row["least"] = limit(field.range.least);
    row["most"] = limit(field.range.most);
    row["without_least"] = field.range.without_least;
    row["without_most"] = field.range.without_most;
    row["has_auto"] = field.automatic.has_value() || std::is_same_v<Value, CharNgrams>;
    row["since"] = field.since;
    rows.append(row);
  });
  return rows;
}

nb::list fields(const std::string& kind) {
  if (kind == "train") return describe<TrainConfig>();
  if (kind == "data") return describe<DataOptions>();
  if (kind == "predict") return describe<PredictOptions>();
  if (kind == "evaluate") return describe<EvaluateOptions>();
  if (kind == "tune") return describe<TuneOptions>();
  if (kind == "calibrate") return describe<CalibrateOptions>();
  if (kind == "quantize") return describe<QuantizeOptions>();
  if (kind == "synth") return describe<SynthOptions>();
  throw nb::value_error(("there are no fields of the kind '" + kind + "'").c_str());
}

// The rows of a table by name: a summary, and every fact as a bool.
template <typename Kind>
nb::dict table() {
  nb::dict rows;
  for (const auto& entry : named_values<Kind>()) {
    nb::dict row;
    row["summary"] = entry.summary;
    for (const Fact& fact : facts_of(entry.value)) row[fact.name] = fact.holds;
    rows[entry.name] = row;
  }
  return rows;
}

// The measures of an evaluation by name.
nb::dict measures() {
  nb::dict rows;
  visit_fields(Evaluation(), [&](const Measure& measure, const auto&) {
    nb::dict row;
    row["title"] = measure.title;
    row["help"] = measure.help;
    row["less_is_better"] = measure.is_better_if_less;
    rows[measure.name] = row;
  });
  return rows;
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("fields", &fields, nb::arg("kind"),
             "The options of a kind, each a dictionary: name, help, type, default and range.");
  module.def("methods", &table<Method>, "The table of methods: name to summary and facts.");
  module.def("selectors", &table<SelectorKind>, "The table of selectors.");
  module.def("noises", &table<NoiseKind>, "The table of noise laws.");
  module.def("optimizers", &table<OptimizerKind>, "The table of optimisers.");
  module.def("measures", &measures, "What an evaluation measures: name to title and help.");
}

}  // namespace cane::python
