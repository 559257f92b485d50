// The texts of a training run: the training text, and the validation text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/options.h"
#include "lm/engine/device.h"
#include "lm/text/corpus.h"

namespace cane::lm {

struct TrainingText {
  std::shared_ptr<const WordVocabulary> vocabulary;
  std::vector<WordId> train;
  std::vector<WordId> valid;  // empty if there is none
};

/// `valid` is a path, "none", or "auto": the file next to the training text with "valid" in place
/// of "train" in its name or, if there is none, the last twentieth of the text itself.
TrainingText read_training_text(const std::string& train, const std::string& valid,
                                const CorpusOptions& options);

/// Declares the texts that read_training_text() reads as inputs.
void reads_text(cli::Options& options, const std::string& train, const std::string& valid);

}  // namespace cane::lm
