#include "cane/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/options.h"
#include "app/output.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

constexpr const char* kExplainClosing =
    "For each example: its first and its second answer, and what each feature adds to the score "
    "of\n"
    "both. A difference above 0 favours the first answer over the second. Scores of the\n"
    "flat and path models, with or without --encoder bag, are such sums; scores of other models "
    "are\n"
    "not, and are refused. Words that training never saw add nothing and are not listed.\n\n"
    "Examples:\n"
    "  echo 'what is my balance' | cane explain --model intents.safetensors -\n"
    "  cane explain --model shop.safetensors new.svm --examples 3 --features 5 --json";

struct ExplainOptions {
  std::string model_path;
  std::string data_path;
  std::uint32_t features = 10;
  std::uint32_t examples = 0;
  bool json = false;
};

template <typename Visit>
void visit_fields(ExplainOptions& options, const Visit& visit) {
  visit(Field("features", kPlainGroup,
              "features to list for an example, largest differences first; 0: all"),
        options.features);
  visit(Field("examples", kPlainGroup, "examples to explain; 0: all"), options.examples);
}

std::size_t listed(const Explanation& explanation, const ExplainOptions& options) {
  const std::size_t all = explanation.contributions.size();
  return options.features == 0 ? all : std::min<std::size_t>(all, options.features);
}

Json answer(const std::string& label, float score) {
  Json json = Json::object();
  json["label"] = label;
  json["score"] = score;
  return json;
}

std::string as_json(std::size_t example, const Explanation& explanation, const Model& model,
                    const ExplainOptions& options) {
  Json json = Json::object();
  json["example"] = example + 1;
  json["first"] = answer(model.labels()[explanation.first_class], explanation.first_score);
  json["second"] = answer(model.labels()[explanation.second_class], explanation.second_score);
  json["difference"] = explanation.first_score - explanation.second_score;
  Json rows = Json::array();
  for (std::size_t i = 0; i < listed(explanation, options); ++i) {
    const Contribution& one = explanation.contributions[i];
    Json& row = rows.emplace_back(Json::object());
    row["feature"] = one.feature;
    row["value"] = one.value;
    row["first"] = one.first;
    row["second"] = one.second;
    row["difference"] = one.difference();
  }
  json["contributions"] = rows;
  return json_text(json) + '\n';
}

// The display width of a text, one column for each code point.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string as_table(std::size_t example, const Explanation& explanation, const Model& model,
                     const ExplainOptions& options, bool with_bars) {
  constexpr double kBar = 20.0;
  const std::size_t shown_rows = listed(explanation, options);
  std::vector<std::string> names;
  std::size_t width = 8;
  for (std::size_t i = 0; i < shown_rows; ++i) {
    names.push_back(shown(explanation.contributions[i].feature));
    width = std::max(width, width_of(names.back()));
  }
  std::string text =
      fmt::format("example {}: {} ({:.4g}) before {} ({:.4g})\n", example + 1,
                  shown(model.labels()[explanation.first_class]), explanation.first_score,
                  shown(model.labels()[explanation.second_class]), explanation.second_score);
  const auto row = [&](const std::string& name, const std::string& value, float first, float second,
                       const std::string& bar) {
    text += fmt::format("  {}{} {:>9} {:>+9.3f} {:>+9.3f} {:>+11.3f}{}\n", name,
                        std::string(width - std::min(width, width_of(name)), ' '), value, first,
                        second, first - second, bar);
  };
  text += fmt::format("  {:<{}} {:>9} {:>9} {:>9} {:>11}\n", "feature", width, "value", "first",
                      "second", "difference");
  const float largest =
      shown_rows == 0 ? 0.0F : std::abs(explanation.contributions[0].difference());
  for (std::size_t i = 0; i < shown_rows; ++i) {
    const Contribution& one = explanation.contributions[i];
    const double share = largest > 0.0F ? std::abs(one.difference()) / largest : 0.0F;
    const char mark = one.difference() < 0.0F ? '-' : '+';
    const auto length = static_cast<std::size_t>(std::lround(kBar * share));
    const std::string bar = with_bars ? fmt::format("  {}", std::string(length, mark)) : "";
    row(names[i], fmt::format("{:.4g}", one.value), one.first, one.second, bar);
  }
  Contribution rest;
  for (std::size_t i = shown_rows; i < explanation.contributions.size(); ++i) {
    rest.first += explanation.contributions[i].first;
    rest.second += explanation.contributions[i].second;
  }
  if (const std::size_t others = explanation.contributions.size() - shown_rows; others > 0) {
    row(fmt::format("{} others", others), "", rest.first, rest.second, "");
  }
  row("score", "", explanation.first_score, explanation.second_score, "");
  return text;
}

}  // namespace

int run_explain(const Verb& verb, const Arguments& arguments) {
  ExplainOptions explain;
  DataOptions data_options;
  data_options.write_cache = false;
  data_options.require_labels = false;
  Options options(verb, kExplainClosing);
  options.positional("DATA", explain.data_path, "data, with or without labels (-: standard input)");
  add_model_option(options, explain.model_path);
  options.add_groups(explain, {kPlainGroup});
  options.flag("json", explain.json, "print one JSON object a line");
  reads_data(options, "DATA", explain.data_path, data_options.labels_path, data_options);
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(explain.model_path);
  const Explainer explainer(model);
  Output output("");
  const bool with_bars = ::isatty(STDOUT_FILENO) != 0;
  const ReadReport report = explainer.explain_file(
      explain.data_path, data_options, [&](std::size_t example, const Explanation& explanation) {
        if (explain.json) {
          output.write(as_json(example, explanation, model, explain));
        } else {
          if (example > 0) output.write("\n");
          output.write(as_table(example, explanation, model, explain, with_bars));
        }
        output.flush();
        return explain.examples == 0 || example + 1 < explain.examples;
      });
  warn_about_skipped(explain.data_path, report);
  output.finish();
  return kExitDone;
}

}  // namespace cane::cli
