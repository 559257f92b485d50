// Wall time of a training with a large model, from the start to the saved file: without
// checkpoints, with those that are due by default, and with one after every epoch. The runs take
// turns, and the fastest of each counts, since other programs only ever add to the time.
//   checkpoint_bench FOLDER [CLASSES] [EPOCHS] [ROUNDS] [THREADS]
// A class has 1,000 features, so that 125,000 classes are a model of 500 MB. FOLDER gets the data.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "cane/dataset.h"
#include "cane/synth.h"
#include "cane/train.h"
#include "core/base/stopwatch.h"

namespace {

using namespace cane;
namespace fs = std::filesystem;

struct Setting {
  const char* name;
  bool has_checkpoints;
  double every;
  double fastest = std::numeric_limits<double>::infinity();
  CheckpointReport report = {};
};

Dataset read_data(const fs::path& folder, std::uint32_t classes) {
  SynthOptions synth;
  synth.classes = classes;
  synth.examples = classes;
  synth.test_examples = 1;
  synth.dimension = 1000;
  const fs::path path = folder / "X_train.npy";
  if (!fs::exists(path)) synthesize(folder.string(), synth);
  return Dataset::load(path.string());
}

void run(const Dataset& data, TrainConfig config, const std::string& model, Setting& setting) {
  if (setting.has_checkpoints) config.checkpoint_path = model + ".checkpoint";
  config.checkpoint_every = setting.every;
  const Stopwatch watch;
  const TrainResult result = train(data, config);
  result.model.save(model);
  const double seconds = watch.seconds();
  if (seconds < setting.fastest) {
    setting.fastest = seconds;
    setting.report = result.checkpoints;
  }
  fmt::print("{:<12} {:8.2f} s\n", setting.name, seconds);
  std::fflush(stdout);
  fs::remove(model);
  if (setting.has_checkpoints) fs::remove(config.checkpoint_path);
}

}  // namespace

int main(int count, char** values) {
  const auto number = [&](int i, int standard) {
    return i < count ? std::stoi(values[i]) : standard;
  };
  const fs::path folder = count > 1 ? values[1] : "checkpoint-bench";
  const Dataset data = read_data(folder, static_cast<std::uint32_t>(number(2, 125'000)));
  TrainConfig config;
  // Cheap steps: the harder it is for checkpoints not to be felt.
  config.method = Method::kHsm;
  config.tree = "balanced";
  config.optimizer = OptimizerKind::kSgd;
  config.pilot = PilotKind::kOff;
  config.epochs = static_cast<std::uint32_t>(number(3, 8));
  config.threads = number(5, 0);
  Setting settings[] = {
      {"none", false, 0.0}, {"default", true, kCheckpointSeconds}, {"every epoch", true, 0.0}};
  for (int round = 0; round < number(4, 3); ++round) {
    for (Setting& setting : settings) run(data, config, (folder / "model").string(), setting);
  }
  for (const Setting& setting : settings) {
    fmt::print(
        "{:<12} {:8.2f} s, {:.3f} of none; {} checkpoints of {:.0f} MB held it up for {:.2f} s\n",
        setting.name, setting.fastest, setting.fastest / settings[0].fastest,
        setting.report.written, static_cast<double>(setting.report.bytes) / 1e6,
        setting.report.seconds);
  }
}
