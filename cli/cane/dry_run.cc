#include "cli/cane/dry_run.h"

#include <fmt/format.h>

#include "app/error_text.h"
#include "cane/names.h"
#include "cane/train.h"
#include "cli/cane/verbs.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr int kWidth = 20;         // of the names of what one process needs
constexpr int kClusterWidth = 27;  // and of those of several

void line(const std::string& name, const std::string& value, int width = kWidth) {
  fmt::print("{:<{}} {:>12}\n", name, width, value);
}

void print_device(const std::string& option, const DeviceEstimate& device) {
  if (!device.name.empty()) {
    line(fmt::format("{} needs", option), bytes_text(device.needed_bytes));
    line(fmt::format("{} has free", option), bytes_text(device.free_bytes));
    fmt::print("{:<20} {}, {}; the examples {}\n", option, device.name,
               bytes_text(device.total_bytes), device.keeps_data ? "stay there" : "are streamed");
  }
  if (!device.problem.empty()) {
    fmt::print("{:<20} cannot be used: {}\n", option, with_flags(device.problem));
  }
}

}  // namespace

int dry_run(const Dataset& data, const TrainConfig& config) {
  const TrainEstimate estimate = estimate_training(data, config);
  line("program", bytes_text(estimate.program_bytes));
  line("data", bytes_text(estimate.data_bytes));
  line("reading, for a while", bytes_text(estimate.reading_bytes));
  line("labels and words", bytes_text(estimate.names_bytes));
  line("weights", bytes_text(estimate.model_bytes));
  line("optimizer", bytes_text(estimate.optimizer_bytes));
  line("start, for a while", bytes_text(estimate.start_bytes));
  line("epochs", bytes_text(estimate.workspace_bytes));
  line("memory at the peak", bytes_text(estimate.total_bytes()));
  if (estimate.free_bytes > 0) line("memory free", bytes_text(estimate.free_bytes));
  if (estimate.device) print_device(config.device, *estimate.device);
  if (estimate.checkpoint_bytes > 0) {
    line("checkpoint on disk", bytes_text(estimate.checkpoint_bytes));
    line("checkpoints, about", count_text(estimate.checkpoints));
    line("time of each", seconds_text(estimate.checkpoint_seconds));
  }
  if (estimate.seconds > 0.0) line("time, about", seconds_text(estimate.seconds));
  for (const std::string& setting : estimate.pilot) {
    fmt::print("{:<20} {}\n", &setting == &estimate.pilot.front() ? "a pilot compares" : "",
               setting);
  }
  return kExitDone;
}

int dry_run(const Dataset& data, const TrainConfig& config, const Cluster& cluster) {
  const RankEstimate estimate = estimate_ranks(data, config, cluster);
  const double epochs = config.epochs;
  const double sent = estimate.sent_bytes;
  const auto show = [](const char* name, const std::string& value) {
    line(name, value, kClusterWidth);
  };
  const auto bytes = [](double count) { return bytes_text(static_cast<std::uint64_t>(count)); };
  show("ranks", count_text(static_cast<std::uint64_t>(cluster.ranks)));
  fmt::print("{:<{}} {:>12}   {}\n", "work shared by", kClusterWidth, name_of(estimate.parallel),
             estimate.parallel == ParallelKind::kData ? "(every rank has all weights)"
                                                      : "(every rank has some of the classes)");
  show("memory of a rank", bytes_text(estimate.memory_bytes));
  if (estimate.free_bytes > 0) show("memory free here", bytes_text(estimate.free_bytes));
  show("exchanges, of an epoch",
       count_text((estimate.examples + estimate.examples_between - 1) / estimate.examples_between));
  show("sent by a rank, of an epoch", bytes(sent));
  show("sent by all, of an example",
       bytes(sent * cluster.ranks / static_cast<double>(estimate.examples)));
  show("time of an epoch", seconds_text(estimate.seconds));
  show("exchanging, of that", seconds_text(estimate.exchange_seconds));
  show("time, about", seconds_text(epochs * estimate.seconds));
  return kExitDone;
}

}  // namespace cane::cli
