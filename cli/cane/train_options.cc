#include "cli/cane/train_options.h"

#include "cane/error.h"
#include "cane/tree.h"
#include "cli/cane/data_options.h"
#include "methods/encoder_table.h"

namespace cane::cli {
namespace {

// The library chooses the number where none is given: it takes 0 for that.
template <typename Number>
Value auto_value(const std::string& name, Number& number) {
  return {
      [name, &number](const std::string& typed) {
        number = typed == "auto" ? Number(0) : parse_number<Number>("--" + name, typed);
        if (typed != "auto" && number == Number(0)) {
          throw Error(fmt::format("--{}: it must be above 0, or auto", name));
        }
      },
      [&number] { return number == Number(0) ? std::string("auto") : fmt::format("{}", number); }};
}

// Here 0 has a meaning of its own.
Value depth_value(std::uint32_t& depth) {
  return {[&depth](const std::string& typed) {
            depth = typed == "auto" ? TrainConfig::kAutoDepth
                                    : parse_number<std::uint32_t>("--max-depth", typed);
          },
          [&depth] {
            return depth == TrainConfig::kAutoDepth ? std::string("auto")
                                                    : fmt::format("{}", depth);
          }};
}

}  // namespace

void add_method_choice(Options& options, TrainConfig& config) {
  options.group("Method");
  options.add("method", config.method, "how classes are learned");
  options.add("select", config.select, "how candidates are found");
  options.add("candidates", "N|auto", auto_value("candidates", config.candidates),
              "classes that compete with the label");
  options.add("reuse", "N|auto", auto_value("reuse", config.reuse),
              "epochs for which the search of an example is remembered");
  options.add("noises", "N|auto", auto_value("noises", config.noises),
              "classes drawn outside the candidates");
}

void add_method_details(Options& options, TrainConfig& config) {
  options.group("Method");
  options.add("scorer", config.scorer, "a weight vector for every class, or path sums in a tree");
  options.add("beam", "N|auto", auto_value("beam", config.beam),
              "classes the search looks at; the best are the candidates");
  options.add("noise", config.noise, "law the noises are drawn from");
  options.add("noise-power", config.noise_power, "unigram noise: frequency to this power");
  options.add("rank", config.rank, "dimensions of the proposals narrow and tree");
  options.add("tree", kTreeKinds, config.tree, "tree of the classes");
  options.add("arity", config.arity, "children of a node of the tree");
  options.add("rebuild-tree", config.rebuild_tree,
              "build the tree anew from the class vectors every N epochs; 0: never");
}

void add_encoder_options(Options& options, TrainConfig& config) {
  options.group("Representation");
  options.add("encoder", config.encoder,
              "what classes are scored over: the features, the sum of an embedding of each, or "
              "layers with ReLU");
  options.add("dim", config.dim, "dimensions of what an encoder makes of an example");
  options.add("layers", config.layers, "mlp: layers with ReLU");
  options.add("dropout", config.dropout, "mlp: share of the units left out in training");
}

void add_tree_options(Options& options, TrainConfig& config) {
  options.group("Online trees");
  options.add("nodes", "N|auto", auto_value("nodes", config.nodes), "lomtree: most inner nodes");
  options.add("swap-resistance", config.swap_resistance,
              "lomtree: how unwilling a leaf gives way to another's split");
  options.add("max-candidates", "N|auto", auto_value("max-candidates", config.max_candidates),
              "recall-tree: frequent classes of a node that are scored");
  options.add("max-depth", "N|auto", depth_value(config.max_depth),
              "recall-tree: decisions on the longest way");
  options.add("bernoulli", config.bernoulli, "recall-tree: how careful its bounds on recall are");
}

void resolve_normalize(const Options& options, TrainOptions& train) {
  if (!row_of(train.config.encoder).has_layers || options.given("normalize")) return;
  train.data.normalize = Normalize::kL2;
}

void add_method_options(Options& options, TrainConfig& config) {
  add_method_choice(options, config);
  add_method_details(options, config);
  add_tree_options(options, config);
}

void add_learning_options(Options& options, TrainConfig& config) {
  add_encoder_options(options, config);
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
  options.add("patience", train.config.patience,
              "stop after N epochs without a better validation; 0: never");
  add_reading_options(options, train.data);
  add_feature_options(options, train.data);
  options.group("Running");
  options.add("threads", train.config.threads, "0: one for each core");
  options.flag("resume", train.config.resume,
               "go on from FILE.checkpoint, or from FILE on other data");
  options.config_file();
  options.add("log", "FILE.jsonl", train.log_path, "one JSON object for every event");
  options.flag("dry-run", train.dry_run, "say how much memory and time it takes, do nothing");
  options.flag("quiet", train.quiet, "print errors only");
}

}  // namespace cane::cli
