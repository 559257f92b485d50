#include "cli/cane/paper/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "app/interrupt.h"
#include "app/report/report.h"
#include "app/say.h"
#include "cane/error.h"
#include "cli/cane/paper/machine.h"
#include "cli/cane/paper/process.h"
#include "core/base/words.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;

Arguments with(const Arguments& arguments, const char* place, const std::string& value) {
  Arguments changed;
  for (const std::string& argument : arguments)
    changed.push_back(filled_in(argument, place, value));
  return changed;
}

std::string slug_of(const std::string& id) {
  std::string slug;
  for (const char byte : id) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '.';
    if (is_plain) {
      slug += byte;
    } else if (!slug.ends_with('-')) {
      slug += '-';
    }
  }
  return slug;
}

// The last line of the log that says something: the error that ended a run.
std::string last_line(const fs::path& log) {
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

// Models and made data are large, and nothing of the report needs them.
void remove_large_files(const fs::path& folder) {
  fs::remove_all(folder / "made");
  for (const char* name : {"vw.cache", "vw.model", "predictions"}) fs::remove(folder / name);
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") models.push_back(entry.path());
  }
  for (const fs::path& model : models) fs::remove(model);
}

// Whether a training that was timed and not finished would now be finished.
bool is_outdated(const Run& run, const Outcome& outcome) {
  if (outcome.rows.size() != 1 || !outcome.row().is_estimated) return false;
  const Arguments& command = run.commands.back();
  const auto limit = std::ranges::find(command, "--limit");
  if (limit == command.end() || limit + 1 == command.end()) return true;
  return outcome.row().value("train_seconds") <= parse_duration(*(limit + 1));
}

const char* name_of(Tool tool) {
  if (tool == Tool::kCaneLm) return "cane-lm";
  return tool == Tool::kVowpalWabbit ? "vw" : "cane";
}

}  // namespace

Runner::Runner(const std::string& report_folder, const Programs& programs, bool quiet)
    : runs_folder_((fs::path(report_folder) / "runs").string()),
      data_folder_((fs::path(report_folder) / "data").string()),
      programs_(programs),
      quiet_(quiet) {}

Run Runner::resolved(const Run& run, const Outcomes& outcomes) {
  Run changed = run;
  const auto tuning = outcomes.find(run.after);
  if (tuning == outcomes.end()) return changed;
  for (Arguments& command : changed.commands) {
    command = with(command, kPicked, tuning->second.picked);
  }
  return changed;
}

std::string Runner::folder_of(const Run& resolved) {
  return (fs::path(runs_folder_) /
          fmt::format("{}-{}", slug_of(resolved.id), fingerprints_.of(resolved)))
      .string();
}

Outcomes Runner::kept(const std::vector<Run>& plan) {
  Outcomes outcomes;
  for (const Run& run : plan) {
    if (run.tool == Tool::kTheory) continue;
    const auto tuning = outcomes.find(run.after);
    const bool waits =
        !run.after.empty() && (tuning == outcomes.end() || tuning->second.picked.empty());
    if (waits) continue;
    const std::string folder = folder_of(resolved(run, outcomes));
    if (!fs::exists(fs::path(folder) / kRecordName)) continue;
    Outcome outcome = read_outcome(run, folder);
    if (!is_outdated(run, outcome)) outcomes[run.id] = std::move(outcome);
  }
  return outcomes;
}

bool Runner::run(const std::vector<Run>& plan, Outcomes& outcomes,
                 const std::function<void(const Outcomes&)>& done) {
  for (const Run& run : plan) {
    if (outcomes.contains(run.id) || run.tool == Tool::kTheory) continue;
    ++count_;
    expected_ += run.seconds;
  }
  for (const Run& run : plan) {
    if (outcomes.contains(run.id) || run.tool == Tool::kTheory) continue;
    Outcome outcome;
    const auto tuning = outcomes.find(run.after);
    if (!run.after.empty() && (tuning == outcomes.end() || tuning->second.picked.empty())) {
      outcome.error = "its tuning failed";
    } else {
      const Run ready = resolved(run, outcomes);
      const Stopwatch watch;
      show(run, 0.0);
      outcome = make(ready, folder_of(ready));
      if (interrupt_requested()) return false;
      taken_ += watch.seconds();
    }
    ++done_;
    expected_done_ += run.seconds;
    bar_.clear();
    if (!quiet_) {
      say("{}/{} {}: {}\n", done_, count_, run.id,
          outcome.error.empty() ? seconds_text(outcome.seconds) : outcome.error);
    }
    outcomes[run.id] = std::move(outcome);
    done(outcomes);
  }
  return true;
}

Outcome Runner::make(const Run& resolved, const std::string& folder) try {
  // What a run that was stopped has left is no result.
  fs::remove_all(folder);
  fs::create_directories(folder);
  if (resolved.prepare) resolved.prepare(data_folder_);
  Outcome outcome;
  outcome.started = utc_now();
  outcome.machine = machine_text();
  const std::string& program = resolved.tool == Tool::kCaneLm         ? programs_.cane_lm
                               : resolved.tool == Tool::kVowpalWabbit ? programs_.vowpal_wabbit
                                                                      : programs_.cane;
  const std::string log = (fs::path(folder) / "log").string();
  std::vector<double> seconds;
  for (const Arguments& command : resolved.commands) {
    const Arguments arguments = with(with(command, kFolder, folder), kData, data_folder_);
    const std::string output =
        (fs::path(folder) / fmt::format("output.{}", seconds.size() + 1)).string();
    const ProcessEnd end =
        run_process(program, arguments, output, log, [&](double now) { show(resolved, now); });
    outcome.commands.push_back(
        command_line(name_of(resolved.tool), with(command, kFolder, "results")));
    seconds.push_back(end.seconds);
    outcome.seconds += end.seconds;
    outcome.peak_bytes = std::max(outcome.peak_bytes, end.peak_bytes);
    // A comparison whose only method failed has written that down as its result.
    const bool has_result = fs::exists(fs::path(folder) / "results.json");
    if (interrupt_requested() || (end.exit_code != 0 && !has_result)) {
      outcome.error = fmt::format("exit code {}: {}", end.exit_code, last_line(log));
      return outcome;
    }
  }
  if (resolved.tool == Tool::kVowpalWabbit) {
    const std::string test =
        with(with(resolved.commands.back(), kData, data_folder_), kFolder, folder)[4];
    outcome.rows.emplace_back().values = {
        {"accuracy", vw_accuracy(test, (fs::path(folder) / "predictions").string())},
        {"train_seconds", seconds.front()},
        {"test_seconds", seconds.back()}};
  }
  remove_large_files(folder);
  write_record(outcome, resolved.id, folder);
  return read_outcome(resolved, folder);
} catch (const Error& error) {
  Outcome outcome;
  outcome.error = error.what();
  return outcome;
}

void Runner::show(const Run& run, double seconds) {
  if (quiet_) return;
  // A run that takes longer than expected holds the bar where it should have ended.
  const double now = expected_done_ + std::min(seconds, run.seconds);
  const double pace = expected_done_ > 0.0 ? taken_ / expected_done_ : 1.0;
  const double share = expected_ > 0.0 ? now / expected_ : 0.0;
  bar_.draw(fmt::format("{}/{} {} ", done_ + 1, count_, run.id), share,
            fmt::format(" {} left", seconds_text(pace * (expected_ - now))));
}

}  // namespace cane::cli::paper
