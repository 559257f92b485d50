#include <fmt/format.h>

#include "cli/cane/paper/plan_parts.h"
#include "cli/cane/paper/sections.h"
#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

Table deviations() {
  return {
      "differences",
      {"what", "the paper", "here", "why"},
      {{"updates", "after every example",
        "gradients of 16 examples at the same weights, applied "
        "one after the other",
        "a block of weights is read once for several examples; see the effects"},
       {"threads", "one; several for softmax", "the same number for all methods",
        "times can be compared; threads share the weights without locks"},
       {"tree", "hierarchical k-means, then a balanced 10-ary tree",
        "the same; full nodes at the bottom, few at the top",
        "most rows are scored in full blocks"},
       {"start", "not said", "zero", "the usual"},
       {"features", "not said", "as they are in the files", "nothing to choose"},
       {"noises", "a set, how it is drawn not said", "drawn independently, with replacement",
        "their mean is unbiased"},
       {"LOMTree, Recall Tree, Filter Tree", "Vowpal Wabbit's",
        "our own, and Vowpal Wabbit's "
        "beside them",
        "one interface; they can be compared"},
       {"language models: optimiser", "not said; rates 0.025, 0.05, 0.1, 0.2",
        "Adam at a fiftieth of these rates",
        "the lowest of these rates is too high for AdaGrad with our body (docs/paper.md)"},
       {"language models: curves", "test text after every epoch",
        "validation text after every epoch, test text at the best",
        "nothing is chosen by test "
        "data"},
       {"language models: tuning", "for every setting",
        "with 80 classes on the first text, for "
        "all",
        "time"},
       {"Gutenberg", "50M words, 116K seen 10 times", "what is there; the 116,000 most frequent",
        "the size of the vocabulary decides the cost, and a shorter text has fewer words seen 10 "
        "times"},
       {"Penn Treebank", "12K words seen 5 times", "the most frequent 12,000 seen 5 times",
        "the text as everybody has it has 9,999 words"}}};
}

}  // namespace

Section differences_section(const Setting& setting, const Lookup& lookup) {
  Section section;
  section.id = "differences";
  section.heading = "What differs from the paper";
  for (const std::string& sentence : effort_sentences(setting)) section.say(sentence);
  section.blocks.emplace_back(deviations());
  Table table = {"differences-effects", {"data: setting", "accuracy", "coverage", "training"}, {}};
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    for (const Effect& effect : effects()) {
      const auto value = [&](const char* name) {
        return lookup.value(set->row->key, "effects", effect.label, name);
      };
      const std::string reason = lookup.reason(set->row->key, "effects", effect.label);
      if (reason == "not run") continue;
      table.rows.push_back({fmt::format("{}: {}", set->heading(), effect.label),
                            percent_text(value("accuracy"), reason),
                            percent_text(value("coverage")), time_text(value("train_seconds"))});
    }
  }
  if (!table.rows.empty()) {
    section.say(
        "Their effects: CANE with the most candidates in the paper's setting, each row with one "
        "thing "
        "done another way.");
    section.blocks.emplace_back(std::move(table));
  }
  section.blocks.emplace_back(lookup.commands("", {"effects"}));
  return section;
}

Section data_section(const Setting& setting) {
  Section section;
  section.id = "data";
  section.heading = "Data";
  Table table = {"data", {"set", "examples", "test examples", "classes", "features"}, {}};
  for (const FoundSet& set : setting.data.found) {
    if (set.row->task == Task::kLanguageModel) {
      table.rows.push_back({set.heading(), fmt::format("text, {}", bytes_as_text(set.bytes)), "",
                            fmt::format("{} words at most", count_text(set.row->words)), ""});
      continue;
    }
    table.rows.push_back({set.heading(), count_text(set.examples), count_text(set.test_examples),
                          count_text(set.classes), count_text(set.features)});
  }
  section.blocks.emplace_back(std::move(table));
  for (const FoundSet& set : setting.data.found) {
    if (!set.row->is_stand_in()) continue;
    const SetRow& paper = set_row(set.row->paper_key);
    section.say(fmt::format("{} is absent, and {} stands in for it: {}. {} itself: {}.",
                            paper.title, set.row->title, set.row->where, paper.title, paper.where));
  }
  for (const SetRow* row : setting.data.absent) {
    section.say(fmt::format("{} is absent. To be had as: {}.", row->title, row->where));
  }
  return section;
}

std::vector<const FoundSet*> sets_of(const Setting& setting, Task task) {
  std::vector<const FoundSet*> sets;
  for (const FoundSet& set : setting.data.found) {
    if (set.row->task == task) sets.push_back(&set);
  }
  return sets;
}

}  // namespace cane::cli::paper
