// The folder that `cane test --report` writes: a page that shows everything, and its parts as
// pictures and tables.
#pragma once

#include <string>
#include <vector>

#include "app/file_guard.h"
#include "cane/model.h"
#include "cane/predict.h"
#include "cli/cane/test/tables.h"

namespace cane::cli {

struct TestReport {
  std::string model_path;
  std::string data_path;
  std::string command;
  std::string started;
  EvaluateOptions options;
  Evaluation result;               // with details
  std::vector<BeamMeasure> beams;  // empty where there is no search
};

/// What is written into the folder; empty without one.
std::vector<OutputFile> report_files(const std::string& folder);

/// Throws Error if the folder cannot be written to.
void write_report(const std::string& folder, const TestReport& report, const Model& model);

}  // namespace cane::cli
