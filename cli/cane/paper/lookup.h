// The outcomes by what they are outcomes of, over all seeds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/report.h"
#include "cli/cane/paper/outcome.h"
#include "cli/cane/paper/plan.h"
#include "cli/cane/paper/section.h"

namespace cane::cli::paper {

/// The mean over the seeds, and how far they are from it.
struct Averaged {
  double mean = 0.0;
  double spread = 0.0;  // standard deviation; 0 for one seed
  std::size_t seeds = 0;
  std::size_t failed = 0;  // seeds without a value
  bool is_estimated = false;
};

class Lookup {
 public:
  Lookup(const std::vector<Run>& plan, const Outcomes& outcomes);

  /// Nothing if no seed has the value.
  std::optional<Averaged> value(std::string_view set, std::string_view kind,
                                const std::string& label, const std::string& name) const;
  /// The mean over the seeds, point by point.
  std::vector<CurvePoint> curve(std::string_view set, std::string_view kind,
                                const std::string& label, const std::string& name) const;
  /// Why there is nothing: "failed: ..." or "not run".
  std::string reason(std::string_view set, std::string_view kind, const std::string& label) const;
  const Outcome* outcome(std::string_view set, std::string_view kind,
                         const std::string& label) const;

  /// The runs of these kinds of a set, or of all sets if it is empty, one command a line.
  Commands commands(std::string_view set, const std::vector<std::string_view>& kinds) const;

 private:
  std::vector<const Outcome*> all(std::string_view set, std::string_view kind,
                                  const std::string& label) const;

  const std::vector<Run>& plan_;
  const Outcomes& outcomes_;
};

/// "91.52% ± 0.05", "~3:05 min", "104.2"; the second is shown if there is no value.
std::string percent_text(const std::optional<Averaged>& value, const std::string& otherwise = "");
std::string time_text(const std::optional<Averaged>& value, const std::string& otherwise = "");
std::string perplexity_text(const std::optional<Averaged>& value,
                            const std::string& otherwise = "");
std::string percent_text(double share);
/// "3.5 times", with as many digits as say something.
std::string ratio_text(double ratio);

/// Curves of a measure, by epoch or by seconds of training; empty without any.
struct ChartOf {
  std::string title;
  std::string identity;
  bool in_percent = true;
  bool logarithmic = false;
  std::vector<std::pair<std::string, std::vector<CurvePoint>>> lines;
};
std::string by_epoch(const ChartOf& chart);
std::string by_seconds(const ChartOf& chart);

}  // namespace cane::cli::paper
