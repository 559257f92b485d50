#include "observer.h"

#include <nanobind/stl/string.h>

#include "evaluation.h"
#include "options.h"

namespace cane::python {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions(50);
constexpr std::chrono::milliseconds kBetweenDisplays(100);

/// Whether so much time has passed since; if so, it begins anew.
bool is_due(std::chrono::steady_clock::time_point& last, std::chrono::milliseconds wait) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last < wait) return false;
  last = now;
  return true;
}

}  // namespace

nb::dict write_trial(const Trial& trial) {
  nb::dict result;
  result["config"] = write_options(trial.config);
  result["rung"] = trial.rung;
  result["epochs"] = trial.epochs;
  result["accuracy"] = trial.accuracy;
  result["seconds"] = trial.seconds;
  result["error"] = trial.error;
  return result;
}

template <typename Make>
void Listener::call(const char* method, const Make& make_argument) {
  if (raised_) return;
  const nb::gil_scoped_acquire locked;
  try {
    if (target_.is_none() || !nb::hasattr(target_, method)) return;
    target_.attr(method)(make_argument());
  } catch (nb::python_error& error) {
    keep(error);
  }
}

void Listener::message(const std::string& text) {
  call("on_message", [&] { return nb::cast(text); });
}

void Listener::progress(const TrainProgress& progress) {
  if (!is_due(shown_, kBetweenDisplays)) return;
  call("on_progress", [&] {
    nb::dict result;
    result["epoch"] = progress.epoch;
    result["epochs"] = progress.epochs;
    result["examples_done"] = progress.examples_done;
    result["examples_total"] = progress.examples_total;
    result["loss"] = progress.loss;
    result["examples_per_second"] = progress.examples_per_second;
    result["seconds_left"] = progress.seconds_left;
    return result;
  });
}

void Listener::epoch(const EpochReport& report) {
  call("on_epoch", [&] {
    nb::dict result;
    result["epoch"] = report.epoch;
    result["loss"] = report.loss;
    result["coverage"] = report.coverage;
    result["learning_rate"] = report.learning_rate;
    result["seconds"] = report.seconds;
    result["best"] = report.best;
    result["validation"] =
        report.validation ? nb::object(write_evaluation(*report.validation)) : nb::none();
    return result;
  });
  // An epoch is when callbacks ask to stop: the next batch must not run past that.
  asked_ = {};
}

void Listener::trial(const Trial& trial) {
  call("on_trial", [&] { return write_trial(trial); });
}

void Listener::ask() {
  const nb::gil_scoped_acquire locked;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!target_.is_none() && nb::hasattr(target_, "stop_requested")) {
      stops_ = nb::cast<bool>(target_.attr("stop_requested")());
    }
  } catch (nb::python_error& error) {
    keep(error);
  }
}

void Listener::keep(nb::python_error& error) {
  // Ctrl-C ends the training as a stop request of the object does; the caller reports it.
  if (error.matches(PyExc_KeyboardInterrupt)) {
    interrupted_ = true;
  } else {
    raised_.emplace(std::move(error));
  }
}

bool Listener::wants_stop() {
  if (!raised_ && !interrupted_ && !stops_ && is_due(asked_, kBetweenQuestions)) ask();
  return raised_ || interrupted_ || stops_;
}

void Listener::rethrow() {
  if (!raised_) return;
  nb::python_error error = std::move(*raised_);
  raised_.reset();
  throw error;
}

}  // namespace cane::python
