#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/json_lines.h"
#include "app/options.h"
#include "app/output.h"
#include "app/report/report.h"
#include "app/say.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/measures.h"
#include "cli/cane/test/report.h"
#include "cli/cane/test/tables.h"
#include "cli/cane/verbs.h"
#include "methods/config_facts.h"

namespace cane::cli {
namespace {

constexpr const char* kTestClosing =
    "Measures:\n{}\n"
    "--report writes a page with pictures, index.html, and what they show as CSV and JSON: "
    "reliability,\nerrors against answers withheld, confused classes, accuracy by class "
    "frequency, coverage by beam.\n\n"
    "Examples:\n"
    "  cane test --model shop.safetensors test.svm --top-k 1,5,10\n"
    "  cane test --model shop.safetensors test.svm --per-class classes.csv --report report";

/// Around the beam of training; the search is measured without probabilities.
std::vector<BeamMeasure> measure_beams(const Model& model, const Dataset& data,
                                       const EvaluateOptions& options, const Ranks& ranks) {
  std::vector<BeamMeasure> measures;
  if (!searches(model.config())) return measures;
  const auto classes = static_cast<std::uint32_t>(model.classes());
  const std::uint32_t own = options.beam > 0 ? options.beam : model.config().beam;
  std::uint32_t last = 0;
  for (const double factor : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    const auto wanted = static_cast<std::uint32_t>(factor * own);
    const std::uint32_t beam = std::clamp(wanted, 1U, classes);
    if (beam == std::exchange(last, beam)) continue;
    EvaluateOptions plain;
    plain.top_k = {1};
    plain.beam = beam;
    plain.probability = Probability::kNone;
    plain.threads = options.threads;
    const Evaluation result = evaluate(model, data, plain, ranks);
    measures.push_back({.beam = beam,
                        .coverage = result.coverage,
                        .accuracy = result.accuracy,
                        .rows_per_example = result.rows_per_example});
  }
  return measures;
}

void write_file(const std::string& path, const std::string& content) {
  Output file(path);
  file.write(content);
  file.finish();
}

}  // namespace

int run_test(const Verb& verb, const Arguments& arguments) {
  TestReport report;
  std::string classes_path;
  std::string report_path;
  bool json = false;
  EvaluateOptions& evaluation = report.options;
  DataOptions data_options;
  data_options.write_cache = false;
  Options options(verb, fmt::format(kTestClosing, measures_help()));
  options.positional("DATA", report.data_path, "data with labels (-: standard input)");
  add_model_option(options, report.model_path);
  options.add_groups(evaluation, {kPlainGroup});
  options.add("per-class", "FILE.csv", classes_path,
              "precision, recall, F1 and the most frequent confusion of every class");
  options.add("report", "DIR", report_path, "folder of a page with pictures; made if missing");
  options.flag("json", json, "print one JSON object");
  reads_data(options, "DATA", report.data_path, data_options.labels_path, data_options);
  options.writes({.option = "--per-class", .path = "", .kind = FileKind::kClassMeasures},
                 classes_path);
  options.writes([&report_path] { return report_files(report_path); });
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  report.started = utc_now();
  report.command = command_line("cane test", arguments);
  const Model model = Model::load(report.model_path);
  data_options.threads = evaluation.threads;
  const Ranks& ranks = *verb.ranks;
  const Dataset data = Dataset::load(report.data_path, model, data_options, ranks);
  warn_about_skipped(report.data_path, data.report());
  warn_about_unseen(report.data_path, data);
  evaluation.details = true;
  report.result = evaluate(model, data, evaluation, ranks);
  if (!report_path.empty()) report.beams = measure_beams(model, data, evaluation, ranks);
  if (!ranks.is_first()) return kExitDone;
  if (!classes_path.empty()) {
    write_file(classes_path, classes_csv(*report.result.details, model.labels()));
  }
  if (!report_path.empty()) {
    write_report(report_path, report, model);
    const auto page = std::filesystem::path(report_path) / "index.html";
    say("saved in {}; to look at it all, open {}\n", report_path, page.string());
  }
  if (json) {
    fmt::print("{}\n", json_text(measures_json(report.result)));
  } else {
    print_measures(report.result, model.labels());
  }
  return kExitDone;
}

}  // namespace cane::cli
