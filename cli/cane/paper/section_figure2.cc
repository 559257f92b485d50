#include <fmt/format.h>

#include "cli/cane/paper/sections.h"

namespace cane::cli::paper {
namespace {

constexpr const char* kAccuracy = "accuracy";

ChartOf chart_of(const FoundSet& set, const char* kind, const std::vector<Series>& all,
                 const std::string& title, const Lookup& lookup) {
  ChartOf chart;
  chart.title = title;
  chart.identity = fmt::format("figure2-{}-{}", set.row->key, kind);
  for (const Series& series : all) {
    chart.lines.emplace_back(series.label,
                             lookup.curve(set.row->key, kind, series.label, kAccuracy));
  }
  return chart;
}

void add_pictures(Section& section, const ChartOf& chart, const std::string& caption) {
  const std::string epochs = by_epoch(chart);
  if (epochs.empty()) return;
  section.blocks.emplace_back(
      Picture{chart.identity + "-by-epoch", caption + ", by epoch", epochs});
  section.blocks.emplace_back(Picture{chart.identity + "-by-seconds",
                                      caption + ", by seconds of training", by_seconds(chart)});
}

Table final_table(const FoundSet& set, const Lookup& lookup) {
  Table table = {
      fmt::format("figure2-{}", set.row->key),
      {"method", "the paper's protocol", "options picked", "our defaults", "options used"},
      {}};
  const auto text = [&](const char* kind, const std::string& label) {
    return percent_text(lookup.value(set.row->key, kind, label, kAccuracy),
                        lookup.reason(set.row->key, kind, label));
  };
  const std::vector<Series> protocol = figure_2_series(*set.row);
  for (const Series& series : our_series(*set.row)) {
    const Outcome* const tuning = lookup.outcome(set.row->key, "tune", series.label);
    const Outcome* const ours = lookup.outcome(set.row->key, "ours", series.label);
    std::string used;
    if (ours != nullptr && !ours->rows.empty()) {
      const auto& options = ours->row().options;
      const auto of = [&](const char* name) {
        const auto found = options.find(name);
        return found == options.end() ? std::string() : found->second;
      };
      used = fmt::format("{} {} lr={}", of("method"), of("method") == "cane" ? of("select") : "",
                         of("lr"));
    }
    const bool is_of_paper = lookup.outcome(set.row->key, "paper", series.label) != nullptr;
    table.rows.push_back(
        {series.label, is_of_paper ? text("paper", series.label) : "",
         tuning == nullptr ? (is_of_paper ? "automatic rate" : "") : tuning->picked,
         text("ours", series.label), used});
  }
  return table;
}

}  // namespace

Section figure_2_section(const FoundSet& set, const Lookup& lookup) {
  Section section;
  section.id = fmt::format("figure2-{}", set.row->key);
  section.heading = fmt::format("Figure 2: {}", set.heading());
  section.say(fmt::format(
      "Accuracy on the {} test examples after every epoch over {} training examples of {} classes. "
      "First as the paper trains: its tree of arity 10, rates from its grid and constant, weights "
      "from zero, features as they are. Then the same methods with the defaults of `cane`, beside "
      "our own selector and what `cane train` picks by itself. The paper's figure has no numbers "
      "to set beside these.",
      set.test_examples, set.examples, set.classes));
  add_pictures(section,
               chart_of(set, "paper", figure_2_series(*set.row),
                        fmt::format("{}, as the paper trains", set.row->title), lookup),
               fmt::format("{} as the paper trains", set.heading()));
  add_pictures(section,
               chart_of(set, "ours", our_series(*set.row),
                        fmt::format("{}, our defaults", set.row->title), lookup),
               fmt::format("{} with our defaults", set.heading()));
  section.blocks.emplace_back(final_table(set, lookup));
  section.say(
      "Accuracy after the last epoch; with several seeds the mean and the standard deviation.");
  section.blocks.emplace_back(lookup.commands(set.row->key, {"paper", "ours"}));
  return section;
}

}  // namespace cane::cli::paper
