#include "cli/cane/dry_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/error_text.h"
#include "cane/train.h"
#include "cli/cane/train_display.h"
#include "cli/cane/verbs.h"
#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

void line(const std::string& name, const std::string& value) {
  fmt::print("{:<20} {:>12}\n", name, value);
}

void print_device(const std::string& option, const DeviceEstimate& device) {
  if (!device.name.empty()) {
    line(fmt::format("{} needs", option), bytes_as_text(device.needed_bytes));
    line(fmt::format("{} has free", option), bytes_as_text(device.free_bytes));
    fmt::print("{:<20} {}, {}; the examples {}\n", option, device.name,
               bytes_as_text(device.total_bytes),
               device.keeps_data ? "stay there" : "are streamed");
  }
  if (!device.problem.empty()) {
    fmt::print("{:<20} cannot be used: {}\n", option, with_flags(device.problem));
  }
}

}  // namespace

int dry_run(const Dataset& data, const Dataset* validation, const TrainConfig& config) {
  const TrainEstimate estimate = estimate_training(data, config, validation);
  // Reading and a start of the training have happened by now.
  const std::uint64_t peak = std::max(estimate.total_bytes(), peak_memory());
  line("program", bytes_as_text(estimate.program_bytes));
  line("data", bytes_as_text(estimate.data_bytes));
  line("reading, for a while", bytes_as_text(estimate.reading_bytes));
  line("labels and words", bytes_as_text(estimate.names_bytes));
  line("weights", bytes_as_text(estimate.model_bytes));
  line("optimizer", bytes_as_text(estimate.optimizer_bytes));
  line("start, for a while", bytes_as_text(estimate.start_bytes));
  line("epochs", bytes_as_text(estimate.workspace_bytes));
  line("copy for checkpoints", bytes_as_text(estimate.copy_bytes));
  line("pilot, for a while", bytes_as_text(estimate.pilot_bytes));
  line("memory at the peak", bytes_as_text(peak));
  if (estimate.free_bytes > 0) line("memory free", bytes_as_text(estimate.free_bytes));
  if (estimate.device) print_device(config.device, *estimate.device);
  if (estimate.checkpoint_bytes > 0) {
    line("checkpoint on disk", bytes_as_text(estimate.checkpoint_bytes));
    line("checkpoints, about", count_text(estimate.checkpoints));
    line("time of each", seconds_text(estimate.checkpoint_seconds));
  }
  if (estimate.seconds > 0.0) line("time, about", seconds_text(estimate.seconds));
  if (!estimate.pilot.empty()) line("a pilot compares", estimate.pilot);
  return kExitDone;
}

}  // namespace cane::cli
