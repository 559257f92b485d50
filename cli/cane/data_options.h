// Options for reading data that several verbs share, and the messages after reading.
#pragma once

#include <functional>
#include <string>

#include "app/options.h"
#include "cane/data_options.h"
#include "cane/dataset.h"

namespace cane::cli {

/// Options that verbs with a model need as well.
void add_reading_options(Options& options, DataOptions& data);
/// The model that a verb reads. What it keeps from its training, features and method, is refused
/// with a message that says so.
void add_model_option(Options& options, std::string& model_path);
/// Options that determine the features; a model stores them.
void add_feature_options(Options& options, DataOptions& data);

/// Declares an option that names data, whose labels may lie in another file. All arguments must
/// outlive the options.
void reads_data(Options& options, const std::string& option, const std::string& path,
                const std::string& labels_path, const DataOptions& data);

/// "data.svm: 1,000 examples, 10 classes, 20 features, read in 0.12 s"
std::string describe_reading(const std::string& path, const Dataset& data, double seconds);
/// Returns what `load` returns, and writes the line above and warnings to stderr unless `quiet`.
Dataset load_and_report(const std::string& path, bool quiet, const std::function<Dataset()>& load);
/// They write to stderr if there is something to report.
void warn_about_skipped(const std::string& path, const ReadReport& report);
void warn_about_fit(const std::string& path, const ReadReport& report);
void warn_about_fit(const std::string& path, const std::string& warning);
void warn_about_empty(const std::string& path, const ReadReport& report, const char* consequence);
void warn_about_unseen(const std::string& path, const Dataset& data);

}  // namespace cane::cli
