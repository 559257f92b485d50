#include "cli/cane-lm/common_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/say.h"

namespace cane::lm {

void add_trained_model(cli::Options& options, std::string& path) {
  options.model(path, "what `cane-lm train` has written");
  const auto all = [](const Field&) { return true; };
  options.refuse_kept<ModelOptions>(all);
  options.refuse_kept<LmTrainOptions>(all);
  options.refuse_kept<CorpusOptions>(
      [](const Field& field) { return std::string_view(field.group) == kVocabularyGroup; });
}

void add_model_options(cli::Options& options, ModelOptions& model) {
  options.add_groups(model, {kModelGroup});
}

void add_train_options(cli::Options& options, LmTrainOptions& train) {
  options.add_groups(train, {kTrainingGroup});
}

void add_vocabulary_options(cli::Options& options, CorpusOptions& corpus) {
  options.add_groups(corpus, {kVocabularyGroup});
}

void add_reading_options(cli::Options& options, CorpusOptions& corpus) {
  options.add_groups(corpus, {kReadingGroup});
}

void add_run_options(cli::Options& options, RunOptions& run) {
  options.add_groups(run, {kRunningGroup});
}

Note stderr_note(bool quiet) {
  return [quiet](const std::string& text) {
    if (!quiet) cli::say("{}\n", text);
  };
}

}  // namespace cane::lm
