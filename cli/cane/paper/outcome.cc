#include "cli/cane/paper/outcome.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/output.h"
#include "cane/error.h"
#include "cane/version.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) {
    throw Error(fmt::format("{}: it is no result of a run; remove its folder, and run again",
                            path.string()));
  }
  return json;
}

Values numbers_in(const Json& object) {
  Values values;
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) values[name] = value.get<double>();
  }
  return values;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

MeasuredRow row_from(const Json& json, const char* word) {
  MeasuredRow row;
  row.name = json.at(word).get<std::string>();
  if (json.at("error").is_string()) row.error = json.at("error").get<std::string>();
  row.is_estimated = json.value("estimated", false);
  row.values = numbers_in(json);
  for (const Json& point : json.at("curve")) row.curve.push_back(numbers_in(point));
  for (const auto& [name, value] : json.at("options").items()) row.options[name] = text_of(value);
  return row;
}

void read_comparison(const fs::path& folder, const char* word, Outcome& outcome) {
  const Json json = read_json(folder / "results.json");
  for (const Json& row : json.at(fmt::format("{}s", word))) {
    outcome.rows.push_back(row_from(row, word));
  }
  if (outcome.rows.empty()) outcome.error = "nothing was measured";
}

// The options that the protocol searches, by the names that a method's specification takes.
constexpr const char* kSearched[] = {"lr", "noise-power", "nodes", "swap-resistance"};

std::string searched_in(const Json& options) {
  std::string text;
  for (const char* name : kSearched) {
    if (!options.contains(name)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", name, text_of(options.at(name)));
  }
  return text;
}

void read_tuning(const fs::path& folder, Outcome& outcome) {
  const Json json = read_json(folder / "output.1");
  for (const Json& trial : json.at("trials")) {
    const Json& accuracy = trial.at("accuracy");
    outcome.trials.push_back({searched_in(trial), accuracy.is_number()
                                                      ? std::optional(accuracy.get<double>())
                                                      : std::nullopt});
  }
  const auto best = json.at("best_trial").get<std::size_t>();
  outcome.picked = outcome.trials.at(best - 1).options;
}

// The head with the least perplexity of the validation text; its options follow the name of the
// head, so that they are what the specifications of the heads differ in.
void pick_head(const Run& run, Outcome& outcome) {
  if (!run.id.starts_with("language/lm-tune/")) return;
  const MeasuredRow* best = nullptr;
  for (const MeasuredRow& row : outcome.rows) {
    const std::size_t rate = row.name.find(":lr=");
    if (rate == std::string::npos) continue;
    const std::optional<double> perplexity = row.value("valid_perplexity");
    outcome.trials.push_back({row.name.substr(rate + 1), perplexity});
    if (perplexity && (best == nullptr || *perplexity < *best->value("valid_perplexity"))) {
      best = &row;
      outcome.picked = outcome.trials.back().options;
    }
  }
  if (best == nullptr) outcome.error = "no rate of the grid gave a model";
}

}  // namespace

std::optional<double> MeasuredRow::value(const std::string& wanted) const {
  const auto found = values.find(wanted);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

Outcome read_outcome(const Run& run, const std::string& folder) try {
  const Json record = read_json(fs::path(folder) / kRecordName);
  Outcome outcome;
  outcome.commands = record.at("commands").get<std::vector<std::string>>();
  outcome.started = record.at("started").get<std::string>();
  outcome.machine = record.at("machine").get<std::string>();
  outcome.seconds = record.at("seconds").get<double>();
  outcome.peak_bytes = record.at("peak_bytes").get<std::uint64_t>();
  if (run.tool == Tool::kCaneLm) {
    read_comparison(folder, "head", outcome);
    pick_head(run, outcome);
  } else if (run.tool == Tool::kVowpalWabbit) {
    MeasuredRow& row = outcome.rows.emplace_back();
    row.values = numbers_in(record.at("values"));
  } else if (run.commands.back().front() == "tune") {
    read_tuning(folder, outcome);
  } else {
    read_comparison(folder, "method", outcome);
  }
  return outcome;
} catch (const Json::exception&) {
  throw Error(
      fmt::format("{}: it holds no result of this version; remove it, and run again", folder));
}

double vw_accuracy(const std::string& test_path, const std::string& predictions_path) {
  std::ifstream labels(test_path);
  std::ifstream answers(predictions_path);
  std::size_t right = 0;
  std::size_t count = 0;
  std::string line;
  for (double answer = 0.0; std::getline(labels, line) && answers >> answer; ++count) {
    answers.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    right += std::stod(line) == answer ? 1 : 0;
  }
  if (count == 0) throw Error("Vowpal Wabbit has predicted nothing");
  return static_cast<double>(right) / static_cast<double>(count);
}

void write_record(const Outcome& outcome, const std::string& id, const std::string& folder) {
  Json record;
  record["id"] = id;
  record["version"] = version();
  record["commands"] = outcome.commands;
  record["started"] = outcome.started;
  record["machine"] = outcome.machine;
  record["seconds"] = outcome.seconds;
  record["peak_bytes"] = outcome.peak_bytes;
  if (!outcome.rows.empty()) record["values"] = outcome.rows.front().values;
  Output file((fs::path(folder) / kRecordName).string());
  file.write(record.dump(1) + '\n');
  file.finish();
}

}  // namespace cane::cli::paper
