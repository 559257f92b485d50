#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/report/markup.h"
#include "app/report/result_folder.h"
#include "cane/dataset.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cane/names.h"
#include "cli/cane/compare/columns.h"
#include "cli/cane/compare/run_method.h"
#include "cli/cane/compare/spec.h"
#include "cli/cane/data_options.h"
#include "cli/cane/train_options.h"
#include "cli/cane/verbs.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr const char* kCompareClosing =
    "A method is METHOD[:SELECT][:CANDIDATES+NOISES or :NOISES][:OPTION=VALUE ...]. METHOD and "
    "SELECT are\nas for `cane train`, and so is OPTION, from --scorer to --deterministic; it "
    "wins over the option\nof the same name that is given for all. Every method gets the same "
    "data in the same order. The test\ndata is measured after every epoch; the weights after the "
    "last one count.\n\n"
    "DIR gets results.csv, results.json, curves.csv, two pictures and index.html, which shows "
    "them all.\nCtrl-C ends with what is finished, and exit code 130.\n\n"
    "Example:\n"
    "  cane compare train.svm test.svm --methods softmax,nce:10,cane:narrow:9+1:rank=32 "
    "--epochs 10";

constexpr const char* kCompareCommand = "cane compare";
constexpr const char* kMeasure = "accuracy";

struct CompareOptions {
  std::string train_path;
  std::string test_path;
  std::string test_labels_path;
  std::string methods =
      "softmax,hsm,nce:10,blackout:10,cane:beam:9+1,cane:narrow:9+1,cane:tree:9+1";
  std::string out = "cane-compare";
  EvaluateOptions measures;
  double limit = 0.0;  // seconds of training of each method; 0: any
  TrainConfig config;
  DataOptions data;
  bool json = false;
  bool quiet = false;
};

double parse_limit(const std::string& typed) {
  if (typed == "none") return 0.0;
  const std::optional<double> seconds = parse_duration(typed);
  if (seconds) return *seconds;
  throw Error(
      fmt::format("--limit: '{}' does not fit; give a time such as 90s, 5m or 1h, or none", typed));
}

void add_compare_options(Options& options, CompareOptions& compare) {
  options.positional("TRAIN", compare.train_path, "training data (-: standard input)");
  options.positional("TEST", compare.test_path, "data to measure on");
  options.add("methods", "M,M,...", compare.methods, "what is compared, see below");
  options.add("out", "DIR", compare.out, "folder of the results; made if missing");
  options.add_fields(compare.measures, {"probability"});
  options.add("limit", "TIME",
              {[&compare](const std::string& typed) { compare.limit = parse_limit(typed); },
               [] { return std::string("none"); }},
              "90s, 5m, 1h: a training that would take longer is stopped, its times estimated");
  options.add("test-labels", "FILE", compare.test_labels_path,
              "labels of a NumPy matrix given as TEST");
  options.add_groups(compare.config, {kMethodGroup},
                     {"method", "select", "candidates", "reuse", "noises"});
  add_learning_options(options, compare.config);
  add_reading_options(options, compare.data);
  add_feature_options(options, compare.data);
  options.group(kRunningGroup);
  options.add_fields(compare.config, {"device", "threads"});
  options.config_file();
  reads_data(options, "TRAIN", compare.train_path, compare.data.labels_path, compare.data);
  reads_data(options, "TEST", compare.test_path, compare.test_labels_path, compare.data);
  options.reads("--test-labels", compare.test_labels_path);
  options.reads([&compare] {
    std::vector<InputFile> trees;
    for (const MethodSpec& spec : parse_methods(compare.methods, compare.config)) {
      trees.push_back({"--methods", spec.config.tree});
    }
    return trees;
  });
  options.writes([&compare] { return result_files(compare.out, kCompareCommand, kMeasure); });
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
  reading = with_chosen_features(compare.train_path, reading, compare.config, compare.quiet);
  Dataset train = load_and_report(compare.train_path, compare.quiet,
                                  [&] { return Dataset::load(compare.train_path, reading); });
  reading.labels_path = compare.test_labels_path;
  Dataset test = load_and_report(compare.test_path, compare.quiet,
                                 [&] { return Dataset::load(compare.test_path, train, reading); });
  return {std::move(train), std::move(test)};
}

std::string data_sentence(const CompareOptions& compare, const ComparedData& data) {
  std::string html = fmt::format(
      "Trained on <code>{}</code>: {} examples, {} classes, {} features. Tested on "
      "<code>{}</code>: {} examples",
      escaped(compare.train_path), count_text(data.train.size()), count_text(data.train.classes()),
      count_text(data.train.dimension()), escaped(compare.test_path), count_text(data.test.size()));
  if (const std::uint64_t unseen = data.test.report().unseen_labels; unseen > 0) {
    html += fmt::format(", {} of them with labels that training never saw, counted as errors",
                        count_text(unseen));
  }
  return html + '.';
}

Report describe(const CompareOptions& compare, const ComparedData& data,
                const Arguments& arguments) {
  Report report;
  report.program = kCompareCommand;
  report.row_word = "method";
  report.source = compare.train_path;
  report.subject = count_text(data.train.classes()) + " classes";
  report.conditions =
      "One after the other on the same data, in the same order, with the same seed. The test data "
      "was measured after every epoch; nothing was chosen by it.";
  report.data = data_sentence(compare, data);
  report.more_heading = "Rare classes and calibration";
  report.remark = fmt::format("log loss: {}", name_of(compare.measures.probability));
  report.command = command_line(report.program, arguments);
  report.started = utc_now();
  report.threads = compare.config.threads > 0 ? compare.config.threads : available_cores();
  report.facts["log_loss_by"] = name_of(compare.measures.probability);
  report.data_facts["train"] = compare.train_path;
  report.data_facts["test"] = compare.test_path;
  report.data_facts["train_examples"] = data.train.size();
  report.data_facts["test_examples"] = data.test.size();
  report.data_facts["classes"] = data.train.classes();
  report.data_facts["features"] = data.train.dimension();
  report.data_facts["unseen_labels"] = data.test.report().unseen_labels;
  report.columns = method_columns();
  report.curve_names = method_curve_names();
  report.chart = {.title = "Accuracy on the test data", .name = kMeasure, .in_percent = true};
  return report;
}

}  // namespace

int run_compare(const Verb& verb, const Arguments& arguments) {
  CompareOptions compare;
  Options options(verb, kCompareClosing);
  add_compare_options(options, compare);
  if (!options.parse(arguments)) return kExitDone;
  const std::vector<MethodSpec> specs = parse_methods(compare.methods, compare.config);
  const ComparedData data = read_both(compare);
  Report report = describe(compare, data, arguments);
  CompareRun run = {
      .folder = compare.out, .names = {}, .quiet = compare.quiet, .json = compare.json};
  for (const MethodSpec& spec : specs) run.names.push_back(spec.name);
  return run_comparison(report, run, [&](std::size_t i) {
    return run_method(specs[i], data.train, data.test, compare.measures.probability, compare.limit,
                      compare.quiet);
  });
}

}  // namespace cane::cli
