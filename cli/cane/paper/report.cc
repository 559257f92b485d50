#include "cli/cane/paper/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/json.h"
#include "app/output.h"
#include "app/report/report.h"
#include "app/report/result_folder.h"
#include "cane/version.h"
#include "cli/cane/paper/lookup.h"
#include "cli/cane/paper/machine.h"
#include "cli/cane/paper/sections.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageName = "index.html";
constexpr const char* kMarkdownName = "report.md";
constexpr const char* kJsonName = "report.json";
constexpr const char* kProgram = "cane paper";

// Whether a run of the plan serves the part or a set of it.
bool has_part(const std::vector<Run>& plan, const std::vector<std::string>& only,
              const std::string& part) {
  return std::ranges::any_of(plan, [&](const Run& run) {
    return std::ranges::any_of(run.parts, [&](const std::string& of) {
      return (of == part || of.starts_with(part + "/")) && is_chosen(only, of);
    });
  });
}

JsonObject json_of(const Table& table) {
  JsonObject json;
  json.set("headings", table.headings);
  std::vector<JsonObject> rows;
  for (const auto& row : table.rows) {
    JsonObject& cells = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) cells.set(table.headings[i], row[i]);
  }
  json.set("rows", rows);
  return json;
}

JsonObject json_of(const Page& page, const Setting& setting) {
  JsonObject json;
  json.set("written_by", kProgram);
  json.set("version", version());
  json.set("machine", machine_text());
  json.set("written", utc_now());
  json.set("command", page.command);
  json.set("share_of_epochs", setting.effort.share);
  JsonObject tables;
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* table = std::get_if<Table>(&block)) tables.set(table->name, json_of(*table));
    }
  }
  json.set("tables", tables);
  return json;
}

}  // namespace

std::vector<std::string> effort_sentences(const Setting& setting) {
  std::vector<std::string> sentences;
  const Effort& effort = setting.effort;
  if (setting.budget > 0.0) {
    sentences.push_back(
        fmt::format("Shortened to a budget of {}: {} of the paper's epochs (at least one), {}, no "
                    "training longer "
                    "than {}, no tuning longer than half of that (the rate is then the automatic "
                    "one), up to {} "
                    "classes in the section on cost.",
                    seconds_text(setting.budget), percent_text(effort.share),
                    effort.seeds == 1 ? "one seed" : "three seeds where a run is short",
                    seconds_text(effort.limit), count_text(effort.most_classes)));
  }
  if (setting.budget <= 0.0) {
    sentences.push_back(
        fmt::format("Trainings that would take longer than {} were timed and not finished.",
                    seconds_text(effort.limit)));
  }
  if (!setting.options.has_lm) {
    sentences.emplace_back(
        "Figure 3 is left out: the program `cane-lm` is not beside `cane` and not in PATH; `make "
        "build` builds it, `--lm` names it.");
  } else if (!setting.options.on_gpu) {
    sentences.emplace_back(
        "Language models were trained on the CPU, on a part of the texts; `--device cuda` trains "
        "them whole.");
  }
  if (!setting.options.has_vw) {
    sentences.emplace_back(
        "Vowpal Wabbit's trees are left out: there is no program `vw`; `make paper` installs it, "
        "`--vw` names it.");
  }
  return sentences;
}

Page make_page(const Setting& setting, const std::vector<Run>& plan, const Outcomes& outcomes) {
  const Lookup lookup(plan, outcomes);
  const std::vector<std::string>& only = setting.options.only;
  const auto has = [&](const std::string& part) { return has_part(plan, only, part); };
  Page page;
  page.title = "Candidates vs. Noises Estimation, regenerated";
  page.command = setting.command;
  const auto runs = static_cast<std::size_t>(
      std::ranges::count_if(plan, [](const Run& run) { return run.tool != Tool::kTheory; }));
  page.conditions = fmt::format(
      "The experiments of Han, Huang and Zhang (ICML 2018) by `cane` {} on {}; {} of {} runs, {}. "
      "Figures that were measured on another machine name it with their commands.",
      version(), machine_text(), outcomes.size(), runs, utc_now());
  page.sections.push_back(claims_section(setting, lookup));
  page.sections.push_back(data_section(setting));
  for (const FoundSet* set : sets_of(setting, Task::kClassification)) {
    if (has(fmt::format("figure2/{}", set->row->key))) {
      page.sections.push_back(figure_2_section(*set, lookup));
    }
  }
  if (has("table1")) page.sections.push_back(table_1_section(setting, lookup));
  if (has("table2")) page.sections.push_back(table_2_section(setting, lookup));
  if (has("table3")) page.sections.push_back(table_3_section(setting, lookup));
  for (const FoundSet* set : sets_of(setting, Task::kLanguageModel)) {
    if (has(fmt::format("figure3/{}", set->row->key))) {
      page.sections.push_back(figure_3_section(setting, *set, lookup));
    }
  }
  if (has("theorems")) page.sections.push_back(theorems_section());
  if (has("cost")) page.sections.push_back(cost_section(setting, lookup));
  if (has("protocol")) page.sections.push_back(protocol_section(setting, lookup));
  page.sections.push_back(differences_section(setting, lookup));
  return page;
}

std::vector<OutputFile> report_files(const std::string& folder) {
  return files_in_folder("--out", folder, {kPageName, kMarkdownName, kJsonName}, kJsonName,
                         fmt::format("\"{}\"", kProgram));
}

ReportFolder::ReportFolder(const std::string& path) : path_(path) {
  const ResultFolder folder("--out", path);
}

void ReportFolder::write(const Setting& setting, const std::vector<Run>& plan,
                         const Outcomes& outcomes) const {
  const Page page = make_page(setting, plan, outcomes);
  const ResultFolder folder("--out", path_);
  // The file by which the others are recognised comes first.
  folder.write(kJsonName, json_of(page, setting).indented_text() + '\n');
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* table = std::get_if<Table>(&block)) {
        folder.write(table->name + ".csv", as_csv(*table));
      } else if (const auto* picture = std::get_if<Picture>(&block)) {
        folder.write(picture->name + ".svg", picture->svg);
      }
    }
  }
  folder.write(kMarkdownName, as_markdown(page));
  folder.write(kPageName, as_html(page));
}

}  // namespace cane::cli::paper
