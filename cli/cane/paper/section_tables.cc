// Tables 1 to 3: times, trees, coverage.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cane/paper/plan_parts.h"
#include "cli/cane/paper/published.h"
#include "cli/cane/paper/sections.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

std::string published_time(double seconds, bool is_estimated) {
  std::string text = fmt::format("{:g} s", seconds);
  if (seconds >= kDay) {
    text = fmt::format("{:.3g} d", seconds / kDay);
  } else if (seconds >= kHour) {
    text = fmt::format("{:.3g} h", seconds / kHour);
  } else if (seconds >= 0.4 * kMinute) {
    text = fmt::format("{:.3g} min", seconds / kMinute);
  }
  return fmt::format("{}{}", is_estimated ? "~" : "", text);
}

std::string ratio_to(const std::optional<Averaged>& softmax, const std::optional<Averaged>& own) {
  return softmax && own ? ratio_text(softmax->mean / own->mean) : "";
}

// After any epoch.
double most_coverage(const Lookup& lookup, const FoundSet& set, const char* kind,
                     const std::string& label) {
  double most = 0.0;
  for (const CurvePoint& point : lookup.curve(set.row->key, kind, label, "coverage")) {
    most = std::max(most, point.measures.front());
  }
  return most;
}

void add_table_1(const FoundSet& set, const Lookup& lookup, Table& table) {
  const std::string_view key = set.row->key;
  const auto softmax = lookup.value(key, "paper", "Softmax", "train_seconds");
  const auto softmax_test = lookup.value(key, "paper", "Softmax", "test_seconds");
  const auto softmax_paper = published(kTable1, set.row->paper_key, "Softmax");
  for (const Series& series : figure_2_series(*set.row)) {
    const auto train = lookup.value(key, "paper", series.label, "train_seconds");
    const auto test = lookup.value(key, "paper", series.label, "test_seconds");
    const auto paper = published(kTable1, set.row->paper_key, series.label);
    table.rows.push_back(
        {fmt::format("{}: {}", set.heading(), series.label),
         time_text(train, lookup.reason(key, "paper", series.label)), time_text(test),
         ratio_to(softmax, train), ratio_to(softmax_test, test),
         paper ? published_time(paper->train_seconds, paper->train_is_estimated) : "",
         paper ? published_time(paper->test_seconds, paper->test_is_estimated) : "",
         paper && softmax_paper ? ratio_text(softmax_paper->train_seconds / paper->train_seconds)
                                : "",
         paper && softmax_paper ? ratio_text(softmax_paper->test_seconds / paper->test_seconds)
                                : ""});
  }
}

}  // namespace

Section table_1_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "table1";
  section.heading = "Table 1: training and testing time";
  section.say(
      "Of the runs of Figure 2 by the paper's protocol, all on the same threads; measuring after "
      "epochs is not counted, building the tree is. `~` is estimated from timed batches, as the "
      "paper does where a run would take too long. Machines differ, so that only the ratios can be "
      "compared: how many times as long the full softmax takes. Our softmax is a product of "
      "matrices, "
      "which does some times as much in a second as single rows, so that it is nearer to the "
      "others "
      "than the paper's.");
  Table table = {"table1",
                 {"data: method", "training", "testing", "softmax / training", "softmax / testing",
                  "paper: training", "paper: testing", "paper: softmax / training",
                  "paper: softmax / testing"},
                 {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    add_table_1(*set, lookup, table);
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(lookup.commands("", {"paper"}));
  return section;
}

Section table_2_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "table2";
  section.heading = "Table 2: tree classifiers";
  section.say(fmt::format(
      "Ours are tuned by the paper's protocol; those of Vowpal Wabbit run untuned with `-l 1`, "
      "in as many passes on one thread, with the program's start and reading counted. {}",
      setting.options.has_vw
          ? "HSM uses the tree of CANE and is not in Vowpal Wabbit."
          : "Vowpal Wabbit is not installed here; `make paper` installs it, `--vw` names it."));
  Table table = {"table2",
                 {"data: tree", "accuracy", "training / testing", "Vowpal Wabbit", "its times",
                  "paper", "its times"},
                 {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    const std::string_view key = set->row->key;
    for (const Series& series : tree_series()) {
      const auto paper = published(kTable2, set->row->paper_key, series.label);
      const auto times = [&](const char* kind) {
        const auto train = lookup.value(key, kind, series.label, "train_seconds");
        if (!train) return std::string();
        return time_text(train) + " / " +
               time_text(lookup.value(key, kind, series.label, "test_seconds"));
      };
      const std::string theirs = percent_text(lookup.value(key, "vw", series.label, "accuracy"));
      table.rows.push_back(
          {fmt::format("{}: {}", set->heading(), series.label),
           percent_text(lookup.value(key, "trees", series.label, "accuracy"),
                        lookup.reason(key, "trees", series.label)),
           times("trees"), theirs, times("vw"), paper ? percent_text(paper->accuracy) : "",
           paper ? fmt::format("{} / {}", published_time(paper->train_seconds, false),
                               published_time(paper->test_seconds, false))
                 : ""});
    }
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(lookup.commands("", {"trees", "vw"}));
  return section;
}

Section table_3_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "table3";
  section.heading = "Table 3: coverage of the candidates";
  section.say(
      "The share of test examples whose label is among the candidates that beam search finds, "
      "after "
      "the last epoch of the runs of Figure 2, and the most after any epoch.");
  Table table = {"table3", {"data: candidates", "coverage", "at most", "paper"}, {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    const std::string_view key = set->row->key;
    for (const std::uint32_t candidates : candidate_counts(*set->row)) {
      const std::string label =
          fmt::format("CANE-{}v{}", candidates, set->row->shortlist - candidates);
      const double most = most_coverage(lookup, *set, "paper", label);
      const auto paper = published_coverage(set->row->paper_key, candidates);
      table.rows.push_back({fmt::format("{}: {}", set->heading(), candidates),
                            percent_text(lookup.value(key, "paper", label, "coverage"),
                                         lookup.reason(key, "paper", label)),
                            most > 0.0 ? percent_text(most) : "",
                            paper ? percent_text(*paper) : ""});
    }
  }
  section.blocks.emplace_back(std::move(table));
  Table rates = {
      "table3-rates", {"data: features, rate", "epochs", "coverage", "at most", "accuracy"}, {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    for (const RateRow& row : rate_rows()) {
      const auto coverage = lookup.value(set->row->key, "rates", row.label, "coverage");
      const std::string reason = lookup.reason(set->row->key, "rates", row.label);
      if (!coverage && reason == "not run") continue;
      rates.rows.push_back(
          {fmt::format("{}: {}", set->heading(), row.label),
           fmt::format("{}", epochs_of(*set->row, setting.effort) / row.divides_epochs),
           percent_text(coverage, reason),
           percent_text(most_coverage(lookup, *set, "rates", row.label)),
           percent_text(lookup.value(set->row->key, "rates", row.label, "accuracy"))});
    }
  }
  if (!rates.rows.empty()) {
    section.say(
        "The coverage depends on the rate and on the scale of the features, neither of which the "
        "paper gives for its Table 3; half an epoch favours rates that are too high for all "
        "epochs. "
        "The setting with the most candidates:");
    section.blocks.emplace_back(std::move(rates));
  }
  section.blocks.emplace_back(lookup.commands("", {"rates"}));
  return section;
}

}  // namespace cane::cli::paper
