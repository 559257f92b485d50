#include "cli/train_options.h"

#include "cane/error.h"
#include "cli/data_options.h"

namespace cane::cli {
namespace {

// The library chooses the number where none is given: it takes 0 for that.
template <typename Number>
Value auto_value(const std::string& name, Number& number) {
  return {
      [name, &number](const std::string& typed) {
        number = typed == "auto" ? Number(0) : parse_number<Number>("--" + name, typed);
      },
      [&number] { return number == Number(0) ? std::string("auto") : fmt::format("{}", number); }};
}

}  // namespace

void add_method_options(Options& options, TrainConfig& config) {
  options.group("Method");
  options.add("method", config.method, "how classes are learned");
  options.add("select", config.select, "how candidates are found");
  options.add("scorer", config.scorer, "a weight vector for every class, or path sums in a tree");
  options.add("candidates", "N|auto", auto_value("candidates", config.candidates),
              "classes that compete with the label");
  options.add("beam", "N|auto", auto_value("beam", config.beam),
              "classes the search looks at; the best are the candidates");
  options.add("noises", "N|auto", auto_value("noises", config.noises),
              "classes drawn outside the candidates");
  options.add("noise", config.noise, "law the noises are drawn from");
  options.add("noise-power", config.noise_power, "unigram noise: frequency to this power");
  options.add("rank", config.rank, "dimensions of the proposals narrow and tree");
  options.add("tree", "clustered|balanced|random|FILE", config.tree, "tree of the classes");
  options.add("arity", config.arity, "children of a node of the tree");
}

void add_learning_options(Options& options, TrainConfig& config) {
  options.group("Learning");
  options.add("start", config.start, "where the weights begin: the class means, or zero");
  options.add("epochs", config.epochs, "passes over the data");
  options.add("lr", "X|auto", auto_value("lr", config.lr),
              "learning rate; auto: fits the features");
  options.add("schedule", config.schedule, "how the rate goes on");
  options.add("optimizer", config.optimizer, "how a gradient is applied");
  options.add("batch", "N|auto", auto_value("batch", config.batch),
              "examples whose gradients are taken together");
  options.add("l2", config.l2, "weight decay");
  options.add("clip", config.clip, "longest gradient of an example; 0: any");
  options.add("patience", config.patience,
              "stop after N epochs without a better validation; 0: never");
  options.add("seed", config.seed, "of all random numbers");
  options.flag("deterministic", config.deterministic,
               "the same seed gives the same bits on any number of threads");
}

void add_train_options(Options& options, TrainOptions& train) {
  options.positional("TRAIN", train.train_path, "training data (-: standard input)");
  options.required("model", "FILE", train.model_path, "where the model goes (required)");
  options.add("valid", "DATA", train.valid_path,
              "measure every epoch on this, keep the best, stop early");
  options.add("valid-labels", "FILE", train.valid_labels_path,
              "labels of a NumPy matrix given with --valid");
  add_method_options(options, train.config);
  add_learning_options(options, train.config);
  add_reading_options(options, train.data);
  add_feature_options(options, train.data);
  options.group("Running");
  options.add("threads", train.config.threads, "0: one for each core");
  options.flag("resume", train.config.resume, "go on from FILE.checkpoint, with its options");
  options.config_file();
  options.add("log", "FILE.jsonl", train.log_path, "one JSON object for every event");
  options.flag("dry-run", train.dry_run, "say how much memory and time it takes, do nothing");
  options.flag("quiet", train.quiet, "print errors only");
}

}  // namespace cane::cli
