// Progress of a training to a Python object, and its stop requests back. The library calls from the
// thread that called it, which has unlocked the interpreter meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <string>

#include "cane/train.h"
#include "cane/tune.h"

namespace cane::python {

namespace nb = nanobind;

/// Calls the methods that the object has: on_message, on_progress, on_epoch, on_trial and
/// stop_requested. An exception in one of them stops the training; rethrow() throws it then.
class Listener {
 public:
  explicit Listener(nb::object target) : target_(std::move(target)) {}

  void message(const std::string& text);
  void progress(const TrainProgress& progress);
  void epoch(const EpochReport& report);
  void trial(const Trial& trial);

  /// Whether the object, a signal or an exception asks to stop. Asks at most every 50 ms: it is
  /// called after every batch.
  bool wants_stop();

  /// Throws what was raised. Call it once the library has returned, with the interpreter locked.
  void rethrow();
  /// Whether Ctrl-C came.
  bool was_interrupted() const { return interrupted_; }

 private:
  template <typename Make>
  void call(const char* method, const Make& make_argument);
  void ask();
  /// Keeps what Python raised: Ctrl-C, which may come in any of the object's methods, or an error.
  void keep(nb::python_error& error);

  nb::object target_;
  std::optional<nb::python_error> raised_;
  bool stops_ = false;
  bool interrupted_ = false;
  std::chrono::steady_clock::time_point asked_ = {};
  std::chrono::steady_clock::time_point shown_ = {};
};

class PythonTrainObserver final : public TrainObserver {
 public:
  explicit PythonTrainObserver(Listener& listener) : listener_(listener) {}
  void on_message(const std::string& text) override { listener_.message(text); }
  void on_progress(const TrainProgress& progress) override { listener_.progress(progress); }
  void on_epoch(const EpochReport& report) override { listener_.epoch(report); }
  bool stop_requested() override { return listener_.wants_stop(); }
  bool give_up_requested() override { return listener_.wants_stop(); }

 private:
  Listener& listener_;
};

class PythonTuneObserver final : public TuneObserver {
 public:
  explicit PythonTuneObserver(Listener& listener) : listener_(listener) {}
  void on_message(const std::string& text) override { listener_.message(text); }
  void on_progress(const TuneProgress& progress) override { listener_.progress(progress.training); }
  void on_trial(const Trial& trial) override { listener_.trial(trial); }
  bool stop_requested() override { return listener_.wants_stop(); }

 private:
  Listener& listener_;
};

nb::dict write_trial(const Trial& trial);

}  // namespace cane::python
