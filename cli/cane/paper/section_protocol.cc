#include <fmt/format.h>

#include <algorithm>

#include "cli/cane/paper/sections.h"

namespace cane::cli::paper {
namespace {

void add_row(const std::string& name, const Outcome* tuning, bool in_percent, Table& table) {
  if (tuning == nullptr) return;
  std::string value;
  for (const Trial& trial : tuning->trials) {
    if (trial.options == tuning->picked && trial.value) {
      value = in_percent ? percent_text(*trial.value) : fmt::format("{:.1f}", *trial.value);
    }
  }
  const auto failed =
      std::ranges::count_if(tuning->trials, [](const Trial& trial) { return !trial.value; });
  table.rows.push_back({name, fmt::format("{}", tuning->trials.size()), fmt::format("{}", failed),
                        tuning->picked.empty() ? tuning->error : tuning->picked, value});
}

}  // namespace

Section protocol_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "protocol";
  section.heading = "Protocol: how rates and noise laws were picked";
  section.say(
      "As in the paper, every method alike: each point of the grid is trained on half an epoch and "
      "measured on a tenth of the training examples that is held out; the test data is never "
      "looked "
      "at. Rates: 0.0001, 0.001, 0.01, 0.05, 0.1, 0.5, 1. NCE and BlackOut: with each of the "
      "powers "
      "0, 0.1, 0.3, 0.5, 0.75, 1 of the class frequencies. LOMTree: with 1, 4, 16 and 64 nodes a "
      "class and swap resistances of 4, 16, 64 and 256. A point whose loss diverges fails.");
  Table table = {"protocol",
                 {"data: method", "points of the grid", "failed", "picked", "accuracy held out"},
                 {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    std::vector<Series> all = figure_2_series(*set->row);
    const std::vector<Series> trees = tree_series();
    all.insert(all.end(), trees.begin(), trees.end());
    for (const Series& series : all) {
      add_row(fmt::format("{}: {}", set->heading(), series.label),
              lookup.outcome(set->row->key, "tune", series.label), true, table);
    }
  }
  section.blocks.emplace_back(std::move(table));
  Table heads = {"protocol-language",
                 {"head", "points of the grid", "failed", "picked", "validation perplexity"},
                 {}};
  for (const Head& head : language_heads()) {
    if (head.classes != 0 && head.classes != kShortlists[2]) continue;
    add_row(head.label, lookup.outcome("language", "lm-tune", family_of(head)), false, heads);
  }
  if (!heads.rows.empty()) {
    section.say(
        "Language models: half an epoch over the first text, measured on its validation text; "
        "rates "
        "0.0005, 0.001, 0.002, 0.004 of Adam, for NCE and BlackOut with each of the powers 0, "
        "0.25, "
        "0.5, 0.75, 1. What is picked with 80 classes is taken for 40 and 60, and for the other "
        "text. "
        "The paper has fifty times these rates for an optimiser that it does not name.");
    section.blocks.emplace_back(std::move(heads));
  }
  section.blocks.emplace_back(lookup.commands("", {"tune", "lm-tune"}));
  return section;
}

}  // namespace cane::cli::paper
