// The file of a language model: options and facts about its training in the metadata, the
// vocabulary, and all learned tensors. Everything is checked before anything is used.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "lm/engine/language_model.h"

namespace cane::lm {

/// Facts about the training that `inspect` shows, as text by name.
using ModelNotes = std::map<std::string, std::string>;

void save_model(const std::string& path, const LanguageModel& model, const ModelNotes& notes);

struct LoadedModel {
  std::shared_ptr<LanguageModel> model;
  ModelNotes notes;
};

/// Throws Error if the file is not a complete language model. The model is ready to predict.
LoadedModel load_model(const std::string& path, torch::Device device);

}  // namespace cane::lm
