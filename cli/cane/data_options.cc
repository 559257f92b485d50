#include "cli/cane/data_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>

#include "app/say.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/bad_line.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace

void add_reading_options(Options& options, DataOptions& data) {
  options.add_groups(data, {kReadingGroup});
}

void add_model_option(Options& options, std::string& model_path) {
  options.model(model_path, "what `cane train` has written");
  options.refuse_kept<TrainConfig>([](const Field& field) { return field.stored; });
  options.refuse_kept<DataOptions>(
      [](const Field& field) { return std::string_view(field.group) == kFeatureGroup; });
}

void add_feature_options(Options& options, DataOptions& data) {
  options.add_groups(data, {kFeatureGroup});
}

void reads_data(Options& options, const std::string& option, const std::string& path,
                const std::string& labels_path, const DataOptions& data) {
  options.reads(option, path);
  options.reads([option, &path, &labels_path, &data] {
    DataOptions reading = data;
    reading.labels_path = labels_path;
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    const std::string others = is_folder ? option : "the labels of " + option;
    std::vector<InputFile> files;
    for (const std::string& file : Dataset::files(path, reading)) {
      if (file != path) files.push_back({others, file});
    }
    return files;
  });
}

std::string describe_reading(const std::string& path, const Dataset& data, double seconds) {
  return fmt::format(
      "{}: {} examples, {} classes, {} features, {} {}", source_name(path), count_text(data.size()),
      count_text(data.classes()), count_text(data.dimension()),
      data.report().from_cache ? "from the cache in" : "read in", seconds_text(seconds));
}

Dataset load_and_report(const std::string& path, bool quiet, const std::function<Dataset()>& load) {
  const Stopwatch watch;
  Dataset data = load();
  if (!quiet) {
    say("{}\n", describe_reading(path, data, watch.seconds()));
    for (const std::string& note : data.report().notes) {
      say("{}: {}\n", source_name(path), with_flags(note));
    }
    if (!data.report().cache_problem.empty()) {
      say("{}: not kept in the cache, the next start reads it again: {}\n", source_name(path),
          with_flags(data.report().cache_problem));
    }
    warn_about_skipped(path, data.report());
    warn_about_unseen(path, data);
  }
  return data;
}

void warn_about_skipped(const std::string& path, const ReadReport& report) {
  if (report.skipped_lines == 0) return;
  say("{}: {} lines skipped, the first: {}\n", source_name(path), count_text(report.skipped_lines),
      with_flags(report.first_skipped));
}

void warn_about_fit(const std::string& path, const ReadReport& report) {
  for (const std::string& warning : report.warnings) warn_about_fit(path, warning);
}

void warn_about_fit(const std::string& path, const std::string& warning) {
  say("{}: {}\n", source_name(path), warning);
}

void warn_about_empty(const std::string& path, const ReadReport& report, const char* consequence) {
  if (report.empty_examples == 0) return;
  say("{}: {} examples have no feature that is known; {}\n", source_name(path),
      count_text(report.empty_examples), consequence);
}

void warn_about_unseen(const std::string& path, const Dataset& data) {
  const ReadReport& report = data.report();
  warn_about_fit(path, report);
  warn_about_empty(path, report, "all of them look the same");
  if (report.unseen_labels == 0) return;
  say("{}: {} examples have labels that training never saw, counted as errors; the first: "
      "{}\n",
      source_name(path), count_text(report.unseen_labels),
      shown(fmt::format("{}", fmt::join(report.unseen_label_names, ", "))));
}

}  // namespace cane::cli
