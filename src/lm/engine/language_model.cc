#include "lm/engine/language_model.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "core/base/memory.h"
#include "lm/engine/make_output_layer.h"

namespace cane::lm {
namespace {

/// Weights are created in host memory, whichever device they are for.
void check_memory(const ModelOptions& options, const WordVocabulary& vocabulary) {
  const BodyOptions& body = options.body;
  const auto row = static_cast<std::uint64_t>(body.embedding + body.width());
  const auto gates = static_cast<std::uint64_t>(4 * body.hidden * body.layers);
  const std::uint64_t needed = (vocabulary.size() + gates) * row * sizeof(float);
  const std::uint64_t available = available_memory();
  if (available == 0 || needed <= available) return;
  throw Error(fmt::format(
      "a model of {} words, embedding {} and hidden {} takes {}, and {} of memory are free; take "
      "fewer words by `vocabulary` or `min_count`, or a narrower model",
      vocabulary.size(), body.embedding, body.hidden, bytes_as_text(needed),
      bytes_as_text(available)));
}

}  // namespace

LanguageModel::LanguageModel(const ModelOptions& options,
                             std::shared_ptr<const WordVocabulary> vocabulary, torch::Device device,
                             torch::ScalarType computing, std::span<const WordId> text)
    : options_(options), vocabulary_(std::move(vocabulary)), device_(device) {
  check_memory(options, *vocabulary_);
  torch::manual_seed(options.seed);
  body_ = register_module("body",
                          std::make_shared<LstmBody>(vocabulary_->size(), options.body, computing));
  head_ = register_module("head", make_output_layer(options.head, vocabulary_->counts(), text,
                                                    options.body.width(), options.seed, device));
  to(device);
  if (!options.body.tied) return;
  const auto parameters = head_->named_parameters();
  const auto buffers = head_->named_buffers();
  if (const torch::Tensor* rows = parameters.find("class_rows")) {
    body_->tie(*rows);
  } else if (const torch::Tensor* table = buffers.find("class_rows")) {
    body_->tie(*table);
  } else {
    throw OptionError("tied",
                      fmt::format("the head '{}' has no row for every word", options.head.name),
                      "leave it out");
  }
}

std::map<std::string, torch::Tensor> LanguageModel::tensors() const {
  std::map<std::string, torch::Tensor> all;
  for (const auto& entry : named_parameters()) all[entry.key()] = entry.value();
  for (const auto& entry : named_buffers()) all[entry.key()] = entry.value();
  return all;
}

}  // namespace cane::lm
