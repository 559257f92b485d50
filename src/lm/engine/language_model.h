// A language model: vocabulary, body and output layer.
#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include "lm/body/lstm_body.h"
#include "lm/engine/options.h"
#include "lm/heads/output_layer.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

class LanguageModel : public torch::nn::Module {
 public:
  /// A new model; the seed determines its weights. `text` is the training text; prediction needs
  /// none. Throws Error if options and vocabulary do not fit each other, or if there is not enough
  /// memory.
  LanguageModel(const ModelOptions& options, std::shared_ptr<const WordVocabulary> vocabulary,
                torch::Device device, torch::ScalarType computing = torch::kFloat32,
                std::span<const WordId> text = {});

  LstmBody& body() { return *body_; }
  OutputLayer& head() { return *head_; }
  const ModelOptions& options() const { return options_; }
  const WordVocabulary& vocabulary() const { return *vocabulary_; }
  torch::Device device() const { return device_; }

  /// Every learned tensor, under its name in the file.
  std::map<std::string, torch::Tensor> tensors() const;

 private:
  ModelOptions options_;
  std::shared_ptr<const WordVocabulary> vocabulary_;
  torch::Device device_;
  std::shared_ptr<LstmBody> body_;
  std::shared_ptr<OutputLayer> head_;
};

}  // namespace cane::lm
