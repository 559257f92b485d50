// Options that several verbs have.
#pragma once

#include <string>

#include "app/options.h"
#include "lm/engine/device.h"
#include "lm/engine/options.h"
#include "lm/text/corpus.h"

namespace cane::lm {

struct RunOptions {
  std::string device = "auto";
  int threads = 0;
  bool quiet = false;
};

void add_model_options(cli::Options& options, ModelOptions& model);
void add_train_options(cli::Options& options, LmTrainOptions& train);
void add_vocabulary_options(cli::Options& options, VocabularyOptions& vocabulary);
void add_reading_options(cli::Options& options, CorpusOptions& corpus);
void add_run_options(cli::Options& options, RunOptions& run);

/// To stderr, unless it shall be quiet.
Note stderr_note(bool quiet);

}  // namespace cane::lm
