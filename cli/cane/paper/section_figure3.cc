#include <fmt/format.h>

#include "cli/cane/paper/sections.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

constexpr const char* kCurve = "valid_perplexity";

ChartOf chart_of(const FoundSet& set, std::uint32_t classes, const Lookup& lookup) {
  ChartOf chart;
  chart.title = fmt::format("{} ({}): perplexity of the validation text", set.row->title, classes);
  chart.identity = fmt::format("figure3-{}-{}", set.row->key, classes);
  chart.in_percent = false;
  chart.logarithmic = true;
  for (const Head& head : language_heads()) {
    if (head.classes != 0 && head.classes != classes) continue;
    chart.lines.emplace_back(head.label, lookup.curve(set.row->key, "lm", head.label, kCurve));
  }
  return chart;
}

Table perplexities(const FoundSet& set, const Lookup& lookup) {
  Table table = {fmt::format("figure3-{}", set.row->key),
                 {"head", "test perplexity", "best epoch", "training", "options picked"},
                 {}};
  for (const Head& head : language_heads()) {
    const auto value = [&](const char* name) {
      return lookup.value(set.row->key, "lm", head.label, name);
    };
    const Outcome* const tuning = lookup.outcome("language", "lm-tune", family_of(head));
    const auto epoch = value("best_epoch");
    table.rows.push_back(
        {head.label,
         perplexity_text(value("test_perplexity"), lookup.reason(set.row->key, "lm", head.label)),
         epoch ? fmt::format("{:.0f}", epoch->mean) : "", time_text(value("seconds")),
         tuning == nullptr ? "automatic rate" : tuning->picked});
  }
  return table;
}

}  // namespace

Section figure_3_section(const Setting& setting, const FoundSet& set, const Lookup& lookup) {
  Section section;
  section.id = fmt::format("figure3-{}", set.row->key);
  section.heading = fmt::format("Figure 3: {}", set.heading());
  const LanguageEffort effort = language_effort(*set.row, setting.effort, setting.options.on_gpu);
  section.say(fmt::format(
      "An LSTM with 512 cells and a projection to 256 over embeddings of 256, sequences of 20 "
      "words, "
      "a vocabulary of the {} most frequent words{}. CANE-40, -60 and -80 select as the paper's "
      "text "
      "says: one of 6 subsets of about equal frequency by its score, so many candidates drawn from "
      "it uniformly, one uniform noise. Our selection takes the 2,000 most frequent words for all "
      "tokens and 500 noises shared by a batch, so that it has no such number. {}",
      count_text(set.row->words),
      set.row->least_count > 1 ? fmt::format(" seen at least {} times", set.row->least_count) : "",
      effort.tokens == 0
          ? fmt::format("On a GPU, {} epochs over the whole text.", effort.epochs)
          : fmt::format("On the CPU: {} epoch over the first {} words of the text, measured on {} "
                        "words, because a GPU is needed for more.",
                        effort.epochs, count_text(effort.tokens),
                        count_text(effort.measured_tokens))));
  for (const std::uint32_t classes : {kShortlists[2], kShortlists[1], kShortlists[0]}) {
    const ChartOf chart = chart_of(set, classes, lookup);
    const std::string svg = by_epoch(chart);
    if (svg.empty()) continue;
    section.blocks.emplace_back(Picture{
        chart.identity, fmt::format("{} with {} classes a token", set.heading(), classes), svg});
  }
  section.blocks.emplace_back(perplexities(set, lookup));
  section.say(
      "The curves are of the validation text, by which the best epoch is chosen; the table is of "
      "the "
      "test text at that epoch, exact over all words. The paper draws the test text after every "
      "epoch and gives no numbers.");
  section.blocks.emplace_back(lookup.commands(set.row->key, {"lm"}));
  return section;
}

}  // namespace cane::cli::paper
