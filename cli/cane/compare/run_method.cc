#include "cli/cane/compare/run_method.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/error_text.h"
#include "app/json_lines.h"
#include "cane/error.h"
#include "cane/train.h"
#include "cli/cane/compare/columns.h"
#include "cli/cane/train_display.h"
#include "core/base/memory.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

// Measures the memory that a piece of work takes: the peak resident memory while it runs, above
// what was resident when it began. Linux keeps the peak and lets a process reset it; on other
// systems there is no figure.
class MemoryMeter {
 public:
  /// Gives freed memory back to the system first, so that earlier work does not hide later work.
  MemoryMeter();
  std::optional<std::uint64_t> peak_bytes() const;

 private:
  std::optional<std::uint64_t> before_;  // none: it cannot be measured
};

std::optional<std::uint64_t> status_bytes(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  std::string name;
  while (file >> name) {
    std::uint64_t kibibytes = 0;
    if (name == wanted && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

MemoryMeter::MemoryMeter() {
  return_freed_memory();
  if (reset_peak()) before_ = status_bytes("VmRSS:");
}

std::optional<std::uint64_t> MemoryMeter::peak_bytes() const {
  const std::optional<std::uint64_t> peak = before_ ? status_bytes("VmHWM:") : std::nullopt;
  if (!peak) return std::nullopt;
  return *peak - std::min(*peak, *before_);
}

// Shows training as `cane train` does, and keeps notes, curve and times.
class CurveObserver : public AccuracyDisplay {
 public:
  /// `setup_seconds` is set to the time before the first batch: the tree, the initial weights.
  CurveObserver(bool quiet, JsonLines& log, ReportRow& row, double limit, double& setup_seconds)
      : AccuracyDisplay(quiet, log, "test"),
        row_(row),
        limit_(limit),
        setup_seconds_(setup_seconds) {}

  void on_message(const std::string& text) override {
    row_.notes.push_back(with_flags(text));
    AccuracyDisplay::on_message(text);
  }

  void on_epoch(const EpochReport& report) override {
    note_begin();
    // If the data is one batch, the first call of stop_requested may come after the epoch.
    if (row_.curve.empty()) {
      setup_seconds_ = std::clamp(watch_.seconds() - report.seconds, 0.0, setup_seconds_);
    }
    const Evaluation& test = *report.validation;
    row_.curve.push_back({report.epoch,
                          setup_seconds_ + report.seconds,
                          {test.accuracy, test.top.at(5), test.coverage, report.loss}});
    EpochReport shown = report;
    shown.best = false;
    AccuracyDisplay::on_epoch(shown);
  }

  void on_progress(const TrainProgress& progress) override {
    AccuracyDisplay::on_progress(progress);
    if (limit_ <= 0.0 || progress.examples_per_second <= 0.0) return;
    const double seconds = watch_.seconds() - setup_seconds_;
    if (seconds < std::clamp(limit_ / 4.0, kMinSeconds, kMaxSeconds)) return;
    // An epoch may begin with work that is not repeated for every example, such as building an
    // index.
    if (progress.examples_done < kMinExamples && seconds < limit_) return;
    const double predicted =
        setup_seconds_ + double(progress.examples_total) / progress.examples_per_second;
    if (predicted > limit_) estimated_seconds_ = predicted;
  }

  bool stop_requested() override {
    note_begin();
    return estimated_seconds_ || AccuracyDisplay::stop_requested();
  }

  /// What the whole training would have taken, if it was stopped because that is too long.
  std::optional<double> estimated_seconds() const { return estimated_seconds_; }

 private:
  // Training calls stop_requested at every batch; the time before the first call is setup.
  void note_begin() {
    if (has_begun_) return;
    has_begun_ = true;
    setup_seconds_ = watch_.seconds();
  }

  // Seconds of training before it is judged: the first batches may take longer than the others.
  static constexpr double kMinSeconds = 1.5;
  static constexpr double kMaxSeconds = 15.0;
  static constexpr std::uint64_t kMinExamples = 1000;  // examples

  ReportRow& row_;
  double limit_;
  std::optional<double> estimated_seconds_;
  double& setup_seconds_;
  Stopwatch watch_;
  bool has_begun_ = false;
};

// The time to find the best classes of all test examples, from that of some, evenly spread.
double estimate_test_seconds(const Model& model, const Dataset& test, int threads) {
  constexpr std::size_t kFirst = 64;
  constexpr double kEnough = 0.5;  // seconds
  EvaluateOptions options;
  options.probability = Probability::kNone;
  options.threads = threads;
  for (std::size_t count = kFirst;; count *= 4) {
    count = std::min(count, test.size());
    std::vector<std::uint32_t> some(count);
    for (std::size_t i = 0; i < count; ++i) {
      some[i] = static_cast<std::uint32_t>(i * test.size() / count);
    }
    const double seconds = evaluate(model, test.subset(some), options).seconds;
    if (seconds >= kEnough || count == test.size()) {
      return seconds * double(test.size()) / double(count);
    }
  }
}

// Returns false if interrupted.
bool train_and_test(const TrainConfig& config, const Dataset& train, const Dataset& test,
                    Probability log_loss, double limit, bool quiet, ReportRow& row,
                    MethodMeasures& measures) {
  const MemoryMeter memory;
  const TrainResult trained = [&] {
    JsonLines no_log("", false);
    CurveObserver observer(quiet, no_log, row, limit, measures.setup_seconds);
    TrainResult result = cane::train(train, config, &observer, &test);
    measures.train_seconds = observer.estimated_seconds();
    return result;
  }();
  row.is_estimated = measures.train_seconds.has_value();
  if (row.is_estimated) {
    row.curve.clear();
    row.options = method_options(trained.model.config());
    measures.test_seconds = estimate_test_seconds(trained.model, test, config.threads);
    return true;
  }
  if (trained.interrupted) return false;
  EvaluateOptions options;
  options.probability = log_loss;
  options.threads = config.threads;
  measures.test = evaluate(trained.model, test, options);
  measures.test_seconds = measures.test->seconds;
  measures.train_seconds = row.curve.back().seconds;
  measures.model_bytes = trained.model.weight_bytes();
  measures.memory_bytes = memory.peak_bytes();
  row.options = method_options(trained.model.config());
  return true;
}

}  // namespace

std::vector<const char*> method_curve_names() {
  return {"accuracy", "top_5", "coverage", "training_loss"};
}

std::optional<ReportRow> run_method(const MethodSpec& spec, const Dataset& train,
                                    const Dataset& test, Probability log_loss, double limit,
                                    bool quiet) {
  TrainConfig config = spec.config;
  config.keep_best = false;
  config.calibrate = false;  // the data that is measured must not teach
  config.patience = 0;
  // What is compared is what is named: only a row that names no method shows what a pilot picks.
  if (config.method != TrainConfig().method) config.pilot = PilotKind::kOff;
  ReportRow row;
  row.name = spec.name;
  row.options = method_options(config);
  MethodMeasures measures;
  try {
    if (!train_and_test(config, train, test, log_loss, limit, quiet, row, measures)) {
      return std::nullopt;
    }
  } catch (const Error& error) {
    row.error = with_flags(error.what());
  } catch (const std::bad_alloc&) {
    row.error = "there is not enough memory";
  }
  row.values = method_values(measures);
  row.more["setup_seconds"] = measures.setup_seconds;
  row.more["estimated"] = row.is_estimated;
  return row;
}

}  // namespace cane::cli
