#include "cli/cane/compare/run_method.h"

#include <algorithm>
#include <new>

#include "app/json_lines.h"
#include "cane/error.h"
#include "cane/train.h"
#include "cli/cane/compare/memory_meter.h"
#include "cli/cane/train_display.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

// Shows training as `cane train` does, and keeps notes and curve.
class CurveObserver : public AccuracyDisplay {
 public:
  CurveObserver(bool quiet, JsonLines& log, MethodResult& result)
      : AccuracyDisplay(quiet, log, "test"), result_(result) {}

  void on_message(const std::string& text) override {
    result_.notes.push_back(text);
    AccuracyDisplay::on_message(text);
  }

  void on_epoch(const EpochReport& report) override {
    note_begin();
    // On data of one batch the first question may come after the epoch.
    if (result_.curve.empty()) {
      result_.setup_seconds =
          std::clamp(watch_.seconds() - report.seconds, 0.0, result_.setup_seconds);
    }
    const Evaluation& test = *report.validation;
    result_.train_seconds = result_.setup_seconds + report.seconds;
    result_.curve.push_back({report.epoch, result_.train_seconds, test.accuracy, test.top.at(5),
                             test.coverage, report.loss});
    EpochReport shown = report;
    shown.best = false;
    AccuracyDisplay::on_epoch(shown);
  }

  bool stop_requested() override {
    note_begin();
    return AccuracyDisplay::stop_requested();
  }

 private:
  // Training asks with every batch whether to go on; what came before the first was getting ready.
  void note_begin() {
    if (has_begun_) return;
    has_begun_ = true;
    result_.setup_seconds = watch_.seconds();
  }

  MethodResult& result_;
  Stopwatch watch_;
  bool has_begun_ = false;
};

// False: interrupted.
bool train_and_test(const TrainConfig& config, const Dataset& train, const Dataset& test,
                    Probability log_loss, bool quiet, MethodResult& result) {
  const MemoryMeter memory;
  const TrainResult trained = [&] {
    JsonLines no_log("", false);
    CurveObserver observer(quiet, no_log, result);
    return cane::train(train, config, &observer, &test);
  }();
  if (trained.interrupted) return false;
  EvaluateOptions options;
  options.log_loss = log_loss;
  options.threads = config.threads;
  result.test = evaluate(trained.model, test, options);
  result.log_loss = result.test->log_loss;
  result.options = method_options(trained.model.config());
  result.model_bytes = trained.model.weight_bytes();
  result.memory_bytes = memory.peak_bytes();
  return true;
}

}  // namespace

std::optional<MethodResult> run_method(const MethodSpec& spec, const Dataset& train,
                                       const Dataset& test, Probability log_loss, bool quiet) {
  TrainConfig config = spec.config;
  config.keep_best = false;
  config.patience = 0;
  MethodResult result;
  result.name = spec.name;
  result.options = method_options(config);
  try {
    if (!train_and_test(config, train, test, log_loss, quiet, result)) return std::nullopt;
  } catch (const Error& error) {
    result.error = error.what();
  } catch (const std::bad_alloc&) {
    result.error = "there is not enough memory";
  }
  return result;
}

}  // namespace cane::cli
