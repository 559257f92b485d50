#include "engine/continue_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cane/error.h"
#include "cane/fields.h"
#include "cane/predict.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/start_source.h"
#include "methods/names_where.h"
#include "methods/resolve.h"
#include "model/grow_tables.h"
#include "model/model_data.h"
#include "train/start/automatic_rate.h"
#include "train/start/start.h"

namespace cane {
namespace {

// Examples of a new class that vote on which known class it resembles.
constexpr std::size_t kVotes = 32;

bool begins_with(const std::vector<std::string>& labels, const std::vector<std::string>& first) {
  return labels.size() >= first.size() && std::equal(first.begin(), first.end(), labels.begin());
}

void check_reading(const ModelData& model, const Dataset& data) {
  Vocabulary vocabulary = data.data().vocabulary;
  const bool fits = begins_with(vocabulary.labels, model.vocabulary.labels);
  vocabulary.labels = model.vocabulary.labels;
  if (fits && vocabulary == model.vocabulary) return;
  throw Error(
      "the data was not read through the model's labels and features; read it with "
      "Dataset::load(path, model) and add_labels");
}

// Learning options come from the request, all others from the model.
TrainConfig resolve_options(const ModelData& model, TrainConfig asked, const DataFacts& facts) {
  if (model.quantization.is_quantized()) {
    throw Error(
        "a quantized model cannot be trained further; train the one that it was made from, and "
        "quantize that");
  }
  if (is_online_tree(model.config)) {
    throw Error(fmt::format(
        "{} cannot go on from a finished model, which has not all of their counts; train "
        "anew, on all data",
        names_where(kMethods, [](const MethodRow& row) { return row.is_online_tree; })));
  }
  TrainConfig has = model.config;
  if (row_of(has.select).takes_all_classes) {  // there are more classes now
    asked.candidates = asked.beam = has.candidates = has.beam = 0;
    has = resolve(has, facts).config;
  }
  const TrainConfig chosen = resolve(with_choices_of(has, asked), facts).config;
  TrainConfig wanted = chosen;
  wanted.lr = has.lr;
  wanted.whiten = has.whiten;
  wanted.epochs = has.epochs;
  wanted.schedule = has.schedule;
  wanted.batch = has.batch;
  wanted.patience = has.patience;
  wanted.memory = has.memory;
  wanted.seed = has.seed;
  wanted.deterministic = has.deterministic;
  // A beam that was as wide as there were classes may be wider now.
  if (has.beam >= model.vocabulary.labels.size()) has.beam = chosen.beam;
  const std::string differing = differing_fields(has, wanted);
  if (differing.empty()) return chosen;
  throw Error(
      fmt::format("the model was made with other values of {}; leave these out, or train again "
                  "without `resume`",
                  differing));
}

// For each new class, the class predicted for most of its examples; ties go to the lower class. One
// without examples resembles none: it goes to the first.
std::vector<ClassId> find_neighbours(const Model& model, const Dataset& data, int threads) {
  const auto known = static_cast<ClassId>(model.classes());
  std::vector<std::uint32_t> examples;
  std::vector<std::size_t> seen(data.classes() - known, 0);
  const DatasetView& view = data.data().view;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const ClassId label = view.label(i);
    if (label == kUnknownClass || label < known || seen[label - known]++ >= kVotes) continue;
    examples.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::map<ClassId, std::uint32_t>> votes(seen.size());
  PredictOptions options;
  options.threads = threads;
  const auto vote = [&](std::size_t place, std::span<const Prediction> best) {
    ++votes[view.label(examples[place]) - known][best.front().class_id];
  };
  if (!examples.empty()) Predictor(model, options).predict(data.subset(examples), vote);
  std::vector<ClassId> neighbours;
  for (const auto& of_class : votes) {
    const auto most = std::ranges::max_element(
        of_class, {}, [](const auto& votes_for) { return votes_for.second; });
    neighbours.push_back(most == of_class.end() ? 0 : most->first);
  }
  return neighbours;
}

}  // namespace

Checkpoint continue_from(const Model& model, const Dataset& given, const Dataset& data,
                         const TrainConfig& config, bool holds_most, const RunContext& context) {
  const ModelData& before = model.data();
  const auto classes = static_cast<std::uint32_t>(data.classes());
  check_reading(before, data);
  TrainConfig settled = resolve_options(before, config, facts_of(data.data().view, classes));
  const bool grows = classes > model.classes();
  // The rate of other steps says nothing.
  if (settled.whiten != before.config.whiten && config.lr == 0.0F) {
    settled.lr = automatic_rate(data.data().view, settled, classes);
  }
  // Class means put new classes where they belong, also in a tree that is built from them. Over
  // sparse rows a hierarchical softmax does better with the nodes that it has learned.
  const bool keeps_tree =
      uses_tree(settled) && settled.tree != "clustered" && settled.tree != "kmeans";
  const bool begins_anew = grows && holds_most && settled.start == StartKind::kMeans &&
                           !has_encoder(settled) && !keeps_tree &&
                           (!row_of(settled.method).is_hierarchical ||
                            has_dense_rows(settled, data.data().view.density()));
  if (grows && !begins_anew && config.lr == 0.0F) {
    // The model's own rate may be a low one, for class means that were nearly right: copies of
    // other classes are no such start.
    settled.lr = std::max(settled.lr, automatic_rate(data.data().view, settled, classes));
  }

  StartSource source(data, settled.seed);
  std::vector<ClassId> neighbours;
  GrownTree tree;
  if (begins_anew) {
    if (uses_tree(settled)) tree.tree = source.tree(settled, context.pool()).tree;
  } else {
    if (grows) neighbours = find_neighbours(model, data, context.threads());
    if (uses_tree(settled)) tree = insert_leaves(before.tree, neighbours, settled.arity);
  }

  Checkpoint run;
  ModelData& grown = run.model;
  grown.config = settled;
  grown.vocabulary = data.data().vocabulary;
  grown.tree = tree.tree;
  grown.flat_width = before.flat_width;
  grown.tables =
      make_tables(grown.config, grown.tree, classes, grown.vocabulary.dimension, grown.flat_width);
  grown.class_counts = count_examples(given);
  for (std::size_t k = 0; k < before.class_counts.size(); ++k) {
    grown.class_counts[k] += before.class_counts[k];
  }
  grown.origin.note = before.origin.note;
  grown.training_examples = before.training_examples + given.size();
  grown.kept = before.kept;

  run.state = make_train_state(grown.tables, grown.config);
  run.state.further = true;
  // Also sets the rates of proposals and encoders, which a finished model does not store.
  start_weights(source.means(), grown, context.pool(), run.state);
  if (!begins_anew) {
    for (AlignedBuffer<float>& table : run.state.weights) std::ranges::fill(table.span(), 0.0F);
    grow_weights(before, grown, tree, neighbours, run.state.weights);
  }
  context.observer().on_message(fmt::format(
      "further training of a model of {} classes; {} are new{}", model.classes(),
      classes - model.classes(),
      begins_anew ? ": begins with the class means of the data and of the kept examples" : ""));
  return run;
}

}  // namespace cane
