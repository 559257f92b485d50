#include "cli/cane/train_options.h"

#include <string>

#include "app/error_text.h"
#include "app/say.h"
#include "cane/features.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "methods/encoder_table.h"
#include "methods/retired_options.h"

namespace cane::cli {

void resolve_normalize(TrainOptions& train) {
  if (!row_of(train.config.encoder).has_layers) return;
  if (train.data.normalize == Normalize::kAuto) train.data.normalize = Normalize::kL2;
}

void add_method_options(Options& options, TrainConfig& config) {
  options.add_groups(config, {kMethodGroup, kOnlineTreeGroup});
  const RetiredOptions retired;
  visit_fields(retired, [&](const Field& field, const auto&) {
    options.refuse(flag_name(field), field.help);
  });
}

void add_learning_options(Options& options, TrainConfig& config, const Names& without) {
  options.add_groups(config, {kEncoderGroup, kLearningGroup}, without);
}

void writes_model(Options& options, const std::string& model_path, const bool& resumes) {
  options.writes({.option = "--model", .path = "", .kind = FileKind::kModel}, model_path);
  options.writes([&model_path, &resumes] {
    return std::vector{checkpoint_output(model_path, FileKind::kCheckpoint, resumes)};
  });
}

void add_train_options(Options& options, TrainOptions& train) {
  options.positional("TRAIN", train.train_path, "training data (-: standard input)");
  options.required("model", "FILE", train.model_path,
                   "where the model goes (required; also the second argument)");
  options.model_by_position();
  options.add("valid", "DATA", train.valid_path,
              "measure every epoch on this, keep the best, stop early");
  options.add("valid-labels", "FILE", train.valid_labels_path,
              "labels of a NumPy matrix given with --valid");
  add_method_options(options, train.config);
  add_learning_options(options, train.config, {});
  add_reading_options(options, train.data);
  add_feature_options(options, train.data);
  options.add_groups(train.config, {kRunningGroup});
  options.config_file();
  options.add("log", "FILE.jsonl", train.log_path, "one JSON object for every event");
  reads_data(options, "TRAIN", train.train_path, train.data.labels_path, train.data);
  reads_data(options, "--valid", train.valid_path, train.valid_labels_path, train.data);
  options.reads("--valid-labels", train.valid_labels_path);
  writes_model(options, train.model_path, train.config.resume);
  options.writes({.option = "--log", .path = "", .kind = FileKind::kLog}, train.log_path);
  options.flag("dry-run", train.dry_run, "estimate memory and time, and stop");
  options.flag("quiet", train.quiet, "print errors only");
}

namespace {

class Messages : public TrainObserver {
 public:
  explicit Messages(bool quiet) : quiet_(quiet) {}
  void on_message(const std::string& text) override {
    if (!quiet_) say("{}\n", with_flags(text));
  }

 private:
  bool quiet_;
};

}  // namespace

DataOptions with_chosen_features(const std::string& path, const DataOptions& data,
                                 const TrainConfig& config, bool quiet, const Ranks& ranks) {
  Messages messages(quiet);
  return choose_features(path, data, config, {ranks, &messages});
}

void search_features(TrainOptions& train) {
  Messages messages(train.quiet);
  const ChosenFeatures chosen =
      cane::search_features(train.train_path, train.data, train.config, &messages);
  train.data = chosen.data;
  train.config.encoder = chosen.encoder;
}

}  // namespace cane::cli
