#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "app/interrupt.h"
#include "app/output.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/comparison.h"
#include "cli/cane-lm/head_spec.h"
#include "cli/cane-lm/lm_verbs.h"
#include "cli/cane-lm/perplexity_display.h"
#include "cli/cane-lm/training_text.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompareClosing =
    "A head is NAME[:OPTION=VALUE ...], with the options of `cane-lm train` from --head to "
    "--precision,\nwhich win over those given for all. Every head gets the same text, seed and "
    "body. The best epoch on\nthe validation text is measured on --test at the end.\n\n"
    "DIR gets results.csv, curves.csv, two pictures, and the model of each head. Ctrl-C ends with "
    "what is\nfinished, and exit code 130.\n\n"
    "Example:\n"
    "  cane-lm compare ptb/train.txt.gz --test ptb/test.txt.gz --epochs 5\n"
    "    --heads softmax,cane:frequent=1000,nce:noises=80";

struct CompareCommand {
  std::string train_path;
  std::string valid = "auto";
  std::string test_path;
  std::string heads = "softmax,cane,nce,blackout";
  std::string out = "cane-lm-compare";
  ModelOptions model;
  TrainOptions train;
  CorpusOptions corpus;
  RunOptions run;
};

void add_options(cli::Options& options, CompareCommand& command) {
  options.positional("TEXT", command.train_path, "text to learn from");
  options.add("heads", "H,H,...", command.heads, "what is compared, see below");
  options.add("test", "FILE", command.test_path, "text to measure the best epoch of each on");
  options.add("valid", "FILE", command.valid, "as for `cane-lm train`");
  options.add("out", "DIR", command.out, "folder of the results; made if missing");
  add_model_options(options, command.model);
  add_train_options(options, command.train);
  add_vocabulary_options(options, command.corpus.vocabulary);
  add_reading_options(options, command.corpus);
  add_run_options(options, command.run);
}

/// None: interrupted.
std::optional<HeadResult> run_head(const HeadSpec& spec, const CompareCommand& command,
                                   const TrainingText& text, const std::vector<WordId>& test,
                                   torch::Device device) {
  const std::string path = (fs::path(command.out) / (spec.file_name() + ".safetensors")).string();
  HeadResult result;
  result.name = spec.name;
  {
    LanguageModel model(spec.model, text.vocabulary, device, computing_type(spec.train.precision),
                        text.train);
    cli::JsonLines no_log("", false);
    PerplexityDisplay display(command.run.quiet, no_log);
    TrainListener listener = display.listener();
    const auto show = listener.on_epoch;
    listener.on_epoch = [&](const EpochReport& report) {
      show(report);
      result.curve.push_back({report.epoch, report.seconds, report.valid->exact});
    };
    Trainer trainer(model, spec.train, text.train, text.valid, path, "", listener);
    if (trainer.run() == TrainEnd::kInterrupted) return std::nullopt;
    result.best_epoch = trainer.place().best_epoch;
    result.valid = trainer.place().best;
    result.seconds = trainer.place().seconds;
  }
  if (!test.empty()) {
    result.test = measure_perplexity(*load_model(path, device).model, test).exact;
  }
  return result;
}

}  // namespace

int run_compare(const Verb& verb, const Arguments& arguments) {
  CompareCommand command;
  cli::Options options(verb, kCompareClosing);
  add_options(options, command);
  if (!options.parse(arguments)) return cli::kExitDone;
  const std::vector<HeadSpec> specs = parse_heads(command.heads, command.model, command.train);
  const Note note = stderr_note(command.run.quiet);
  command.corpus.note = note;
  const torch::Device device = choose_device(command.run.device, command.run.threads, note);
  const TrainingText text = read_training_text(command.train_path, command.valid, command.corpus);
  if (text.valid.empty()) throw Error("--valid: a comparison needs a text to measure epochs on");
  const std::vector<WordId> test =
      command.test_path.empty() ? std::vector<WordId>()
                                : read_tokens(command.test_path, *text.vocabulary, command.corpus);
  prepare_folder(command.out);

  cli::catch_interrupts("stopping; what is finished is kept");
  std::vector<HeadResult> results;
  bool interrupted = false;
  for (const HeadSpec& spec : specs) {
    note(fmt::format("\n{}, {} of {}", spec.name, results.size() + 1, specs.size()));
    std::optional<HeadResult> result = run_head(spec, command, text, test, device);
    interrupted = !result;
    if (interrupted) break;
    results.push_back(std::move(*result));
    write_results(command.out, results);
  }
  cli::Output output("");
  output.write(as_table(results));
  output.finish();
  return interrupted ? cli::kExitInterrupted : cli::kExitDone;
}

}  // namespace cane::lm
