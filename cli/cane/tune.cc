#include "cane/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "app/json_lines.h"
#include "app/say.h"
#include "app/training.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/train_options.h"
#include "cli/cane/training.h"
#include "cli/cane/tune_display.h"
#include "cli/cane/verbs.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

constexpr const char* kTuneClosing =
    "Any option of training that is given stays as it is; the others of rate, optimiser, "
    "candidates,\narity, noise power, nodes, swap resistance and max candidates are searched, as "
    "far as the method\nhas them. The command that was found goes to stdout. Ctrl-C ends the "
    "search with the best so far and\nexit code 130.\n\n"
    "Examples:\n"
    "  cane tune train.svm --normalize l2 --budget 10m\n"
    "  cane tune train.svm --method nce --protocol paper --model nce.safetensors";

constexpr const char* kModelName = "model.safetensors";

struct TuneCommand {
  TrainOptions train;
  TuneOptions tune;
  bool json = false;
};

// "20" is a number of trials; "90s", "5m", "1.5h" are times.
void set_budget(const std::string& typed, TuneOptions& tune) {
  tune.trials = 0;
  tune.seconds = parse_duration(typed).value_or(0.0);
  if (tune.seconds > 0.0) return;
  try {
    tune.trials = parse_number<std::uint32_t>("trials", typed);
  } catch (const Error&) {
    tune.trials = 0;
  }
  if (tune.trials > 0) return;
  throw Error(fmt::format(
      "--budget: '{}' does not fit; give a time such as 90s, 5m or 1h, or a number of trials",
      typed));
}

void add_tune_options(Options& options, TuneCommand& command) {
  TrainOptions& train = command.train;
  options.positional("TRAIN", train.train_path, "training data (-: standard input)");
  options.add_groups(command.tune, {kPlainGroup});
  options.add("budget", "TIME|TRIALS",
              {[&tune = command.tune](const std::string& typed) { set_budget(typed, tune); },
               [] { return std::string("5m"); }},
              "90s, 5m, 1h, or a number of trials; paper: all of its grid");
  options.add("model", "FILE", train.model_path,
              "train on all examples with what was found, and save (also the second argument)");
  options.model_by_position();
  add_method_options(options, train.config);
  add_learning_options(options, train.config);
  add_reading_options(options, train.data);
  add_feature_options(options, train.data);
  options.group(kRunningGroup);
  options.add_fields(train.config, {"device", "threads"});
  options.config_file();
  reads_data(options, "TRAIN", train.train_path, train.data.labels_path, train.data);
  writes_model(options, train.model_path, train.config.resume);
  options.flag("json", command.json, "print one JSON object, with all trials");
  options.flag("quiet", train.quiet, "print the result and errors only");
}

Tunable not_given(const Options& options) {
  Tunable search;
  search.lr = !options.given("lr");
  search.optimizer = !options.given("optimizer");
  search.l2 = !options.given("l2");
  search.epochs = !options.given("epochs");
  search.candidates = !options.given("candidates");
  search.arity = !options.given("arity");
  search.noise_power = !options.given("noise-power");
  search.nodes = !options.given("nodes");
  search.swap_resistance = !options.given("swap-resistance");
  return search;
}

// The `cane train` command with the options that were found, to print and to run.
class FoundTraining {
 public:
  FoundTraining(const TrainOptions& asked, const TrainConfig& config)
      : options_({"train", "", run_train}, "") {
    add_train_options(options_, train_);
    train_ = asked;
    train_.config = config;
    if (train_.model_path.empty()) train_.model_path = kModelName;
  }

  std::string command() const { return command_line("cane train", options_.arguments()); }

  void add_to(Json& json) const {
    Json values = Json::object();
    for (const auto& [name, value] : options_.values()) values[name] = json_value_of(value);
    json["command"] = command();
    json["options"] = values;
  }

  int run(const Dataset& data) {
    const Arguments arguments = options_.arguments();
    train_.config.checkpoint_path = train_.checkpoint_path();
    JsonLines no_log("", false);
    return train_and_save(train_, options_, arguments, {data, std::nullopt}, no_log);
  }

 private:
  TrainOptions train_;
  Options options_;
};

std::string as_json(const TuneResult& result, const Tunable& searched, const FoundTraining& found) {
  Json json = Json::object();
  if (result.best) {
    found.add_to(json);
    json["accuracy"] = result.trials[*result.best].accuracy;
    json["best_trial"] = *result.best + 1;
  } else {
    json["command"] = nullptr;
  }
  json["interrupted"] = result.interrupted;
  Json trials = Json::array();
  for (const Trial& trial : result.trials) {
    Json& fields = trials.emplace_back(Json::object());
    set_searched(fields, trial.config, searched);
    fields["rung"] = trial.rung;
    fields["epochs"] = trial.epochs;
    fields["seconds"] = trial.seconds;
    if (trial.error.empty()) {
      fields["accuracy"] = trial.accuracy;
    } else {
      fields["accuracy"] = nullptr;
      fields["error"] = with_flags(trial.error);
    }
  }
  json["trials"] = trials;
  return json_text(json);
}

void print_summary(const TuneResult& result, double seconds) {
  const std::string ending =
      fmt::format("{} trials in {}", result.trials.size(), seconds_text(seconds));
  if (result.interrupted) say("interrupted after {}\n", ending);
  if (!result.best) return;
  const Trial& best = result.trials[*result.best];
  say("best: trial {}, {:.2f}% of the examples held out after {:.4g} epochs; {}\n",
      *result.best + 1, 100.0 * best.accuracy, best.epochs, ending);
}

}  // namespace

int run_tune(const Verb& verb, const Arguments& arguments) {
  TuneCommand command;
  TrainOptions& train = command.train;
  Options options(verb, kTuneClosing);
  add_tune_options(options, command);
  if (!options.parse(arguments)) return kExitDone;
  resolve_normalize(train);
  train.data.threads = train.config.threads;
  command.tune.search = not_given(options);
  if (command.tune.protocol == Protocol::kHalving && !options.given("budget")) {
    command.tune.seconds = TuneOptions::kDefaultSeconds;
  }
  const Stopwatch choosing;
  search_features(train);
  if (command.tune.seconds > 0.0) {
    // The search for features is a part of the time that was asked for.
    command.tune.seconds = std::max(command.tune.seconds - choosing.seconds(), 1.0);
  }
  const Dataset data = load_and_report(train.train_path, train.quiet,
                                       [&] { return Dataset::load(train.train_path, train.data); });

  catch_interrupts("stopping at the next batch");
  const Stopwatch watch;
  Tunable searched;
  const TuneResult result = [&] {
    TuneDisplay display(train.quiet, command.tune);
    TuneResult found = tune(data, train.config, command.tune, &display);
    searched = display.searched();
    return found;
  }();
  if (!train.quiet) print_summary(result, watch.seconds());
  FoundTraining found(train, result.config);
  if (command.json) {
    fmt::print("{}\n", as_json(result, searched, found));
  } else if (result.best) {
    fmt::print("{}\n", found.command());
  }
  std::fflush(stdout);
  if (result.interrupted) return kExitInterrupted;
  return train.model_path.empty() ? kExitDone : found.run(data);
}

}  // namespace cane::cli
