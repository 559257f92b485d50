// Everything `cane train` can be told.
#pragma once

#include <string>

#include "cane/config.h"
#include "cane/data_options.h"
#include "cli/options.h"

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

  std::string checkpoint_path() const { return model_path + ".checkpoint"; }
};

void add_method_options(Options& options, TrainConfig& config);
void add_learning_options(Options& options, TrainConfig& config);
/// All of them.
void add_train_options(Options& options, TrainOptions& train);

}  // namespace cane::cli
