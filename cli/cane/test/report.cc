#include "cli/cane/test/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/report/document.h"
#include "app/report/result_folder.h"
#include "cane/version.h"
#include "cli/cane/measures.h"
#include "cli/cane/test/charts.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr const char* kOption = "--report";
constexpr const char* kProgram = "cane test";
constexpr std::size_t kRowsShown = 20;

using Rows = std::vector<std::vector<std::string>>;

struct ReportFile {
  const char* name;
  std::string (*content)(const TestReport& report, const Model& model);
};

const EvaluationDetails& details_of(const TestReport& report) {
  return *report.result.details;
}

std::string as_json(const TestReport& report, const Model& model) {
  Json json = Json::object();
  json["written_by"] = kProgram;
  json["version"] = version();
  json["instruction_set"] = instruction_set();
  json["started"] = report.started;
  json["command"] = report.command;
  json["model"] = report.model_path;
  json["data"] = report.data_path;
  json["classes"] = model.classes();
  json.update(measures_json(report.result));
  return json_text(json, 1) + '\n';
}

std::string measures_table(const Evaluation& result) {
  Rows rows;
  for (const MeasuredNumber& number : measured_numbers(result)) {
    if (!number.value) continue;
    rows.push_back(
        {number.title, measure_text(number.measure.kind, *number.value), number.measure.help});
  }
  return html_table({"measure", "value", "meaning"}, rows);
}

std::string worst_classes_table(const EvaluationDetails& details,
                                const std::vector<std::string>& labels) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < details.classes.size(); ++i) {
    if (details.classes[i].support > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return details.classes[a].f1() < details.classes[b].f1();
  });
  order.resize(std::min(order.size(), kRowsShown));
  Rows rows;
  for (const std::size_t i : order) {
    const ClassMeasures& one = details.classes[i];
    rows.push_back({labels[i], percent(one.precision()), percent(one.recall()), percent(one.f1()),
                    count_text(one.support),
                    one.confused > 0 ? fmt::format("{} ({} times)", labels[one.confused_with],
                                                   count_text(one.confused))
                                     : ""});
  }
  return html_table({"class", "precision", "recall", "F1", "examples", "most taken for"}, rows);
}

std::string frequency_table(const EvaluationDetails& details) {
  Rows rows;
  for (const FrequencyBin& bin : details.frequency) {
    rows.push_back({bin.least == bin.most
                        ? count_text(bin.least)
                        : fmt::format("{} to {}", count_text(bin.least), count_text(bin.most)),
                    count_text(bin.classes), count_text(bin.examples),
                    bin.examples > 0 ? percent(bin.accuracy) : ""});
  }
  return html_table({"training examples", "classes", "test examples", "accuracy"}, rows);
}

std::string section(const char* heading, const char* text, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format("<h2>{}</h2>\n<p class='note'>{}</p>\n{}", heading, text, content);
}

std::string as_page(const TestReport& report, const Model& model) {
  const EvaluationDetails& details = details_of(report);
  std::string html =
      html_opening(fmt::format("{}: {}", kProgram, report.data_path),
                   fmt::format("{} examples of {} classes", count_text(report.result.examples),
                               count_text(model.classes())));
  html += measures_table(report.result);
  html += section("Probabilities",
                  "Where the measured line is below the straight one, the model is too sure. Every "
                  "point stands for at least ten examples.",
                  html_picture(reliability_chart(details)));
  html += section("Unsure answers",
                  "With --reject P, answers below the probability P are withheld: fewer examples "
                  "are answered, and fewer of the answers are wrong.",
                  html_picture(risk_chart(details)));
  html +=
      section("Classes that are confused",
              "A row is a label, a column is an answer; the darker a cell, the larger its share "
              "of the row.",
              html_picture(confusion_chart(details, model.labels())));
  html += section("Classes with the lowest F1", "All classes are in classes.csv.",
                  worst_classes_table(details, model.labels()));
  html += section("Rare and frequent classes",
                  "Classes that training saw about equally often are taken together.",
                  html_picture(frequency_chart(details)) + frequency_table(details));
  html += section("Search",
                  "Coverage is the share of examples whose label is among the classes that the "
                  "search looks at closely; --beam says how many these are.",
                  html_picture(beam_chart(report.beams)));
  return html + html_ending(report.command,
                            fmt::format("model {}, {}", report.model_path, report.started));
}

// The page comes last: if it exists, all files exist.
constexpr ReportFile kFiles[] = {
    {kResultsName, as_json},
    {"classes.csv",
     [](const TestReport& all, const Model& model) {
       return classes_csv(details_of(all), model.labels());
     }},
    {"confused.csv",
     [](const TestReport& all, const Model& model) {
       return confused_csv(details_of(all), model.labels());
     }},
    {"reliability.csv",
     [](const TestReport& all, const Model&) { return reliability_csv(details_of(all)); }},
    {"risk.csv", [](const TestReport& all, const Model&) { return risk_csv(details_of(all)); }},
    {"frequency.csv",
     [](const TestReport& all, const Model&) { return frequency_csv(details_of(all)); }},
    {"beams.csv", [](const TestReport& all, const Model&) { return beams_csv(all.beams); }},
    {"reliability.svg",
     [](const TestReport& all, const Model&) { return reliability_chart(details_of(all)); }},
    {"risk.svg", [](const TestReport& all, const Model&) { return risk_chart(details_of(all)); }},
    {"frequency.svg",
     [](const TestReport& all, const Model&) { return frequency_chart(details_of(all)); }},
    {"beam.svg", [](const TestReport& all, const Model&) { return beam_chart(all.beams); }},
    {"confusion.svg",
     [](const TestReport& all, const Model& model) {
       return confusion_chart(details_of(all), model.labels());
     }},
    {"index.html", as_page},
};

}  // namespace

std::vector<OutputFile> report_files(const std::string& folder) {
  if (folder.empty()) return {};
  std::vector<std::string> names;
  for (const ReportFile& file : kFiles) names.emplace_back(file.name);
  return files_in_folder(kOption, folder, names, kResultsName, fmt::format("\"{}\"", kProgram));
}

void write_report(const std::string& path, const TestReport& report, const Model& model) {
  const ResultFolder folder(kOption, path);
  for (const ReportFile& file : kFiles) {
    const std::string content = file.content(report, model);
    // A picture of an earlier run must not stay next to the figures of this one.
    if (content.empty()) {
      std::error_code ignored;
      std::filesystem::remove(std::filesystem::path(path) / file.name, ignored);
    } else {
      folder.write(file.name, content);
    }
  }
}

}  // namespace cane::cli
