// The report of `cane paper`: its sections from the outcomes of the plan, and its files.
#pragma once

#include <string>
#include <vector>

#include "app/file_guard.h"
#include "cli/cane/paper/data_sets.h"
#include "cli/cane/paper/outcome.h"
#include "cli/cane/paper/plan.h"
#include "cli/cane/paper/section.h"

namespace cane::cli::paper {

/// What was asked for.
struct Setting {
  DataFolder data;
  Effort effort;
  PlanOptions options;
  double budget = 0.0;  // seconds; 0: none
  std::string command;
};

/// How the runs differ from the paper's protocol for want of time or of a GPU, a sentence each.
std::vector<std::string> effort_sentences(const Setting& setting);

/// The sections that the chosen parts have results for.
Page make_page(const Setting& setting, const std::vector<Run>& plan, const Outcomes& outcomes);

/// The files that are known by their names; pictures and tables come in folders.
std::vector<OutputFile> report_files(const std::string& folder);

class ReportFolder {
 public:
  /// Makes the folder. Throws Error if it cannot be written to.
  explicit ReportFolder(const std::string& path);

  /// Each file is replaced atomically, so that a report is complete at any time.
  void write(const Setting& setting, const std::vector<Run>& plan, const Outcomes& outcomes) const;

 private:
  std::string path_;
};

}  // namespace cane::cli::paper
