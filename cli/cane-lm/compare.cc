#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/error_text.h"
#include "app/report/markup.h"
#include "app/report/result_folder.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/head_spec.h"
#include "cli/cane-lm/lm_verbs.h"
#include "cli/cane-lm/perplexity_display.h"
#include "cli/cane-lm/training_text.h"
#include "core/base/words.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompareClosing =
    "A head is NAME[:OPTION=VALUE ...], with the options of `cane-lm train` from --head to "
    "--precision,\nwhich win over those given for all. Every head gets the same text, seed and "
    "body. The best epoch on\nthe validation text is measured on --test at the end.\n\n"
    "DIR gets results.csv, results.json, curves.csv, two pictures, index.html, which shows them "
    "all, and the\nmodel of each head. Ctrl-C ends with what is finished, and exit code 130.\n\n"
    "Example:\n"
    "  cane-lm compare ptb/train.txt.gz --test ptb/test.txt.gz --epochs 5\n"
    "    --heads softmax,cane:frequent=1000,nce:noises=80";

constexpr const char* kCompareCommand = "cane-lm compare";
constexpr const char* kMeasure = "perplexity";

struct CompareCommand {
  std::string train_path;
  std::string valid = "auto";
  std::string test_path;
  std::string heads = "softmax,cane,nce,blackout";
  std::string out = "cane-lm-compare";
  ModelOptions model;
  LmTrainOptions train;
  CorpusOptions corpus;
  RunOptions run;
  bool json = false;
};

std::string model_path_of(const HeadSpec& spec, const CompareCommand& command) {
  return (fs::path(command.out) / (spec.file_name() + ".safetensors")).string();
}

void add_options(cli::Options& options, CompareCommand& command) {
  options.positional("TEXT", command.train_path, "text to learn from");
  options.add("heads", "H,H,...", command.heads, "what is compared, see below");
  options.add("test", "FILE", command.test_path, "text to measure the best epoch of each on");
  options.add("valid", "FILE", command.valid, "as for `cane-lm train`");
  options.add("out", "DIR", command.out, "folder of the results; made if missing");
  add_model_options(options, command.model);
  add_train_options(options, command.train);
  add_vocabulary_options(options, command.corpus);
  add_reading_options(options, command.corpus);
  add_run_options(options, command.run);
  reads_text(options, command.train_path, command.valid);
  options.reads("--test", command.test_path);
  options.writes([&command] {
    std::vector<cli::OutputFile> files = cli::result_files(command.out, kCompareCommand, kMeasure);
    for (const HeadSpec& spec : parse_heads(command.heads, command.model, command.train)) {
      files.push_back({.option = "--out",
                       .path = model_path_of(spec, command),
                       .kind = FileKind::kLanguageModel,
                       .makes_folder = true,
                       .needs_file = true});
    }
    return files;
  });
  options.flag("json", command.json, "print results.json instead of the table");
}

std::string two_digits(double value) {
  return fmt::format("{:.2f}", value);
}
std::string one_digit(double value) {
  return fmt::format("{:.1f}", value);
}
std::string whole(double value) {
  return fmt::format("{}", value);
}

const std::vector<cli::ReportColumn> kHeadColumns = {
    {true, "epoch", "best_epoch", "epoch with the lowest perplexity of the validation text", true,
     whole},
    {true, "valid", "valid_perplexity", "perplexity of the validation text after that epoch", true,
     two_digits},
    {true, "test", "test_perplexity", "perplexity of the test text by the weights of that epoch",
     true, two_digits},
    {true, "seconds", "seconds", "time to train all epochs, without measuring", true, one_digit},
};

/// Returns nothing if interrupted.
std::optional<cli::ReportRow> run_head(const HeadSpec& spec, const CompareCommand& command,
                                       const TrainingText& text, const std::vector<WordId>& test,
                                       torch::Device device) {
  const std::string path = model_path_of(spec, command);
  cli::ReportRow row;
  row.name = spec.name;
  row.options = spec.options;
  LmTrainState state;
  {
    LanguageModel model(spec.model, text.vocabulary, device, computing_type(spec.train.precision),
                        text.train);
    cli::JsonLines no_log("", false);
    PerplexityDisplay display(command.run.quiet, no_log);
    TrainListener listener = display.listener();
    const auto show = listener.on_epoch;
    listener.on_epoch = [&](const LmEpochReport& report) {
      show(report);
      row.curve.push_back({report.epoch, report.seconds, {report.validation->exact}});
    };
    LmTrainer trainer(model, spec.train, text.train, text.valid, path, "", listener);
    if (trainer.run() == LoopEnd::kInterrupted) return std::nullopt;
    state = trainer.state();
  }
  std::optional<double> test_perplexity;
  if (!test.empty()) {
    test_perplexity = measure_perplexity(*load_model(path, device).model, test).exact;
  }
  row.values = {state.loop.best_epoch, state.loop.best_score, test_perplexity, state.loop.seconds};
  return row;
}

/// A head that fails becomes a row with its error, and the others continue.
std::optional<cli::ReportRow> try_head(const HeadSpec& spec, const CompareCommand& command,
                                       const TrainingText& text, const std::vector<WordId>& test,
                                       torch::Device device) {
  try {
    return run_head(spec, command, text, test, device);
  } catch (const Error& error) {
    cli::ReportRow row;
    row.name = spec.name;
    row.options = spec.options;
    row.error = cli::with_flags(error.what());
    row.values.resize(kHeadColumns.size());
    return row;
  }
}

cli::Report describe(const CompareCommand& command, const TrainingText& text,
                     const std::vector<WordId>& test, torch::Device device,
                     const Arguments& arguments) {
  cli::Report report;
  report.program = kCompareCommand;
  report.row_word = "head";
  report.source = command.train_path;
  report.subject = fmt::format("{} words", count_text(text.vocabulary->size()));
  report.conditions =
      "One after the other on the same text, with the same body and seed. The validation text was "
      "measured after every epoch, and chose the epoch that counts.";
  report.data = fmt::format(
      "Trained on <code>{}</code>: {} tokens, {} words in the vocabulary. Validated on {} tokens, "
      "tested on {}.",
      cli::escaped(command.train_path), count_text(text.train.size()),
      count_text(text.vocabulary->size()), count_text(text.valid.size()), count_text(test.size()));
  report.remark = fmt::format("on {}", device.str());
  report.command = cli::command_line(report.program, arguments);
  report.started = cli::utc_now();
  report.threads = at::get_num_threads();
  report.facts["device"] = device.str();
  report.data_facts["train"] = command.train_path;
  report.data_facts["test"] = command.test_path;
  report.data_facts["train_tokens"] = text.train.size();
  report.data_facts["valid_tokens"] = text.valid.size();
  report.data_facts["test_tokens"] = test.size();
  report.data_facts["words"] = text.vocabulary->size();
  report.columns = kHeadColumns;
  report.curve_names = {"valid_perplexity"};
  report.chart = {.title = "Validation perplexity", .name = kMeasure, .logarithmic = true};
  return report;
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
  cli::Report report = describe(command, text, test, device, arguments);
  cli::CompareRun run = {
      .folder = command.out, .names = {}, .quiet = command.run.quiet, .json = command.json};
  for (const HeadSpec& spec : specs) run.names.push_back(spec.name);
  return cli::run_comparison(
      report, run, [&](std::size_t i) { return try_head(specs[i], command, text, test, device); });
}

}  // namespace cane::lm
