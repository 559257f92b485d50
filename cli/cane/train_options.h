// All options of `cane train`, in groups that other verbs share, and the features that are chosen
// for it.
#pragma once

#include <string>

#include "app/options.h"
#include "app/training.h"
#include "cane/config.h"
#include "cane/data_options.h"

namespace cane::cli {

struct TrainOptions {
  std::string train_path;
  std::string model_path;
  std::string valid_path;
  std::string valid_labels_path;
  std::string log_path;
  TrainConfig config;
  DataOptions data;
  bool dry_run = false;
  bool quiet = false;

  std::string checkpoint_path() const { return checkpoint_path_of(model_path); }
};

/// An encoder sums the features of an example, so examples are then scaled to unit length unless
/// the user says otherwise.
void resolve_normalize(TrainOptions& train);
void add_method_options(Options& options, TrainConfig& config);
/// Options of the encoder and of learning, without those that take validation data.
void add_learning_options(Options& options, TrainConfig& config,
                          const Names& without = {"patience", "calibrate"});
/// Declares the model and its checkpoint as outputs. `resumes`: the checkpoint is gone on with.
void writes_model(Options& options, const std::string& model_path, const bool& resumes);
/// All options above, and those for files and running.
void add_train_options(Options& options, TrainOptions& train);

/// The options with the features filled in that the user left open (see cane/features.h). Unless
/// `quiet`, what was measured goes to stderr.
DataOptions with_chosen_features(const std::string& path, const DataOptions& data,
                                 const TrainConfig& config, bool quiet,
                                 const Ranks& ranks = Ranks());

/// The same for `cane tune`: a wider search, which may also pick an encoder.
void search_features(TrainOptions& train);

}  // namespace cane::cli
