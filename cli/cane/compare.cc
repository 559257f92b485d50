#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "app/interrupt.h"
#include "app/output.h"
#include "cane/dataset.h"
#include "cane/error.h"
#include "cli/cane/compare/columns.h"
#include "cli/cane/compare/data_files.h"
#include "cli/cane/compare/result_folder.h"
#include "cli/cane/compare/run_method.h"
#include "cli/cane/compare/spec.h"
#include "cli/cane/data_options.h"
#include "cli/cane/train_options.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr const char* kClosing =
    "A method is METHOD[:SELECT][:CANDIDATES+NOISES or :NOISES][:OPTION=VALUE ...]. METHOD and "
    "SELECT are\nthose of `cane train`, and so is OPTION, from --scorer to --deterministic; it "
    "wins over the option\nof the same name that is given for all. Every method gets the same "
    "data in the same order. The test\ndata is measured after every epoch; the weights after the "
    "last one count.\n\n"
    "DIR gets results.csv, results.json, curves.csv, two pictures and index.html, which shows "
    "them all.\nCtrl-C ends with what is finished, and exit code 130.\n\n"
    "Example:\n"
    "  cane compare train.svm test.svm --methods softmax,nce:10,cane:narrow:9+1:rank=32 "
    "--epochs 10";

struct CompareOptions {
  std::string train_path;
  std::string test_path;
  std::string test_labels_path;
  std::string methods =
      "softmax,hsm,nce:10,blackout:10,cane:beam:9+1,cane:narrow:9+1,cane:tree:9+1";
  std::string out = "cane-compare";
  Probability log_loss = Probability::kExact;
  TrainConfig config;
  DataOptions data;
  bool json = false;
  bool quiet = false;
};

void add_compare_options(Options& options, CompareOptions& compare) {
  options.positional("TRAIN", compare.train_path, "training data (-: standard input)");
  options.positional("TEST", compare.test_path, "data to measure on");
  options.add("methods", "M,M,...", compare.methods, "what is compared, see below");
  options.add("out", "DIR", compare.out, "folder of the results; made if missing");
  options.add("log-loss", compare.log_loss, "normaliser; exact scores all classes");
  options.add("test-labels", "FILE", compare.test_labels_path,
              "labels of a NumPy matrix given as TEST");
  add_method_details(options, compare.config);
  add_learning_options(options, compare.config);
  add_reading_options(options, compare.data);
  add_feature_options(options, compare.data);
  options.group("Running");
  options.add("threads", compare.config.threads, "0: one for each core");
  options.config_file();
  options.flag("json", compare.json, "print results.json instead of the table");
  options.flag("quiet", compare.quiet, "no progress");
}

struct ComparedData {
  Dataset train;
  Dataset test;
};

ComparedData read_both(const CompareOptions& compare) {
  DataOptions reading = compare.data;
  reading.threads = compare.config.threads;
  Dataset train = load_and_report(compare.train_path, compare.quiet,
                                  [&] { return Dataset::load(compare.train_path, reading); });
  reading.labels_path = compare.test_labels_path;
  Dataset test = load_and_report(compare.test_path, compare.quiet,
                                 [&] { return Dataset::load(compare.test_path, train, reading); });
  return {std::move(train), std::move(test)};
}

Comparison describe(const CompareOptions& compare, const ComparedData& data,
                    const Arguments& arguments) {
  Comparison comparison;
  comparison.command = "cane compare";
  for (const std::string& argument : arguments) comparison.command += ' ' + quoted(argument);
  comparison.started = fmt::format(
      "{:%Y-%m-%d %H:%M:%S} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  comparison.train_path = compare.train_path;
  comparison.test_path = compare.test_path;
  comparison.train_examples = data.train.size();
  comparison.test_examples = data.test.size();
  comparison.classes = data.train.classes();
  comparison.features = data.train.dimension();
  comparison.unseen_labels = data.test.report().unseen_labels;
  comparison.threads = compare.config.threads > 0
                           ? compare.config.threads
                           : static_cast<int>(std::thread::hardware_concurrency());
  comparison.log_loss_by = compare.log_loss;
  return comparison;
}

void run_all(const CompareOptions& compare, const std::vector<MethodSpec>& specs,
             const ComparedData& data, const ResultFolder& folder, Comparison& comparison) {
  comparison.planned = specs.size();
  catch_interrupts();
  for (const MethodSpec& spec : specs) {
    if (!compare.quiet) {
      fmt::print(stderr, "\n{}, {} of {}\n", spec.name, comparison.methods.size() + 1,
                 specs.size());
    }
    std::optional<MethodResult> result =
        run_method(spec, data.train, data.test, compare.log_loss, compare.quiet);
    if (result) {
      if (!result->error.empty()) fmt::print(stderr, "{}: {}\n", spec.name, result->error);
      comparison.methods.push_back(std::move(*result));
    }
    comparison.interrupted =
        interrupt_requested() && comparison.methods.size() < comparison.planned;
    if (!comparison.methods.empty()) folder.write(comparison);
    if (comparison.interrupted) return;
  }
}

void print_end(const CompareOptions& compare, const Comparison& comparison) {
  if (comparison.interrupted) {
    fmt::print(stderr, "\ninterrupted; {} of {} methods are finished\n", comparison.methods.size(),
               comparison.planned);
  }
  if (comparison.methods.empty()) return;
  const auto page = std::filesystem::path(compare.out) / "index.html";
  fmt::print(stderr, "\nsaved in {}; to look at it all, open {}\n\n", compare.out, page.string());
}

int exit_code(const Comparison& comparison) {
  if (comparison.interrupted) return kExitInterrupted;
  for (const MethodResult& result : comparison.methods) {
    if (!result.error.empty()) return kExitUserError;
  }
  return kExitDone;
}

}  // namespace

int run_compare(const Verb& verb, const Arguments& arguments) {
  CompareOptions compare;
  Options options(verb, kClosing);
  add_compare_options(options, compare);
  if (!options.parse(arguments)) return kExitDone;
  const std::vector<MethodSpec> specs = parse_methods(compare.methods, compare.config);
  const ComparedData data = read_both(compare);
  const ResultFolder folder(compare.out);
  Comparison comparison = describe(compare, data, arguments);
  run_all(compare, specs, data, folder, comparison);

  if (!compare.quiet) print_end(compare, comparison);
  Output output("");
  output.write(compare.json ? as_json(comparison).text() + '\n' : as_table(comparison));
  output.finish();
  return exit_code(comparison);
}

}  // namespace cane::cli
