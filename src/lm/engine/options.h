// All options of a language model and of its training, with their defaults, each named once: the
// command line, the model file and the checkpoint are made from the lists of fields.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "cane/config.h"
#include "cane/field.h"
#include "cane/names.h"
#include "lm/body/body_options.h"
#include "lm/heads/head_options.h"

namespace cane::lm {

/// Options that define the model; stored in its file.
struct ModelOptions {
  BodyOptions body;
  HeadOptions head;
  std::uint64_t seed = 1;
};

/// How an optimiser changes a weight.
enum class UpdateRule { kSgd, kAdagrad, kAdam };

enum class Precision { kFloat32, kBfloat16 };

/// Options of training; stored in the checkpoint with the model's options.
struct LmTrainOptions {
  std::uint32_t epochs = 12;
  std::uint32_t batch = 64;
  std::uint32_t length = 20;
  UpdateRule optimizer = UpdateRule::kAdam;
  double lr = 0.0;    // 0: by the optimiser
  double clip = 1.0;  // 0: none
  double decay = 0.5;
  std::uint32_t patience = 3;
  Precision precision = Precision::kFloat32;
  double checkpoint_every = kCheckpointSeconds;  // least seconds between two; 0: every epoch
};

inline constexpr std::int64_t kMaxWidth = 1 << 16;
inline constexpr std::int64_t kMaxLayers = 64;
inline constexpr std::uint32_t kMaxStreams = 1U << 20;
inline constexpr std::uint32_t kMaxLength = 1U << 16;
inline constexpr const char* kModelGroup = "Model";
inline constexpr const char* kTrainingGroup = "Training";

template <MaybeConst<ModelOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  auto& head = options.head;
  visit(Field("head", kModelGroup, "output layer").takes(head_values()), head.name);
  visit(
      Field("select", kModelGroup,
            "candidates of cane: frequent, batch, and one of subset, low-rank, ngram, joined by +"),
      head.select);
  visit(Field("frequent", kModelGroup,
              "words that are candidates of all tokens; 0: a fifth of all, at most 2000"),
        head.frequent);
  visit(Field("candidates", kModelGroup, "of each token, by subset, low-rank or ngram"),
        head.candidates);
  visit(Field("noises", kModelGroup, "draws of a batch"), head.noises);
  visit(Field("own_noises", kModelGroup, "noises are drawn for each token, not for a batch"),
        head.own_noises);
  visit(Field("noise", kModelGroup, "law of the noises; auto: unigram, for css uniform"),
        head.noise);
  visit(Field("noise_power", kModelGroup, "power of the counts for unigram"), head.noise_power);
  visit(Field("subsets", kModelGroup, "of words, for `select subset`"), head.subsets);
  visit(Field("rank", kModelGroup, "of the scorer of `select low-rank`"), head.rank);
  auto& body = options.body;
  visit(Field("embedding", kModelGroup, "width of the embedding", from_to(1, kMaxWidth)),
        body.embedding);
  visit(Field("hidden", kModelGroup, "cells of an LSTM layer", from_to(1, kMaxWidth)), body.hidden);
  visit(Field("projection", kModelGroup, "width of its output; 0: not projected", at_least(0)),
        body.projection);
  visit(Field("layers", kModelGroup, "LSTM layers", from_to(1, kMaxLayers)), body.layers);
  visit(Field("dropout", kModelGroup, "share of values left out in training", from_to_below(0, 1)),
        body.dropout);
  visit(Field("tied", kModelGroup, "embedding and output layer share their rows"), body.tied);
  visit(Field("seed", kModelGroup, "of weights, dropout and draws"), options.seed);
}

template <MaybeConst<LmTrainOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("epochs", kTrainingGroup, "passes over the text, at most", at_least(1)),
        options.epochs);
  visit(Field("batch", kTrainingGroup, "parallel streams of text", from_to(1, kMaxStreams)),
        options.batch);
  visit(Field("length", kTrainingGroup, "words of each in a step", from_to(1, kMaxLength)),
        options.length);
  visit(Field("optimizer", kTrainingGroup, "update rule of the weights"), options.optimizer);
  visit(Field("lr", kTrainingGroup, "rate; 0: 1 for sgd, 0.1 for adagrad, 0.001 for adam",
              at_least(0)),
        options.lr);
  visit(Field("clip", kTrainingGroup, "largest norm of the gradient; 0: no clipping", at_least(0)),
        options.clip);
  visit(Field("decay", kTrainingGroup, "factor of the rate after an epoch that did not help",
              above_to(0, 1)),
        options.decay);
  visit(Field("patience", kTrainingGroup, "epochs without a better one before it ends; 0: all"),
        options.patience);
  visit(Field("precision", kTrainingGroup, "of products of matrices"), options.precision);
  visit(Field("checkpoint_every", kTrainingGroup,
              "seconds between two checkpoints, at least; 0: one after every epoch", at_least(0))
            .takes("SECONDS")
            .not_stored(),
        options.checkpoint_every);
}

/// Both throw OptionError on invalid values.
void check_options(const ModelOptions& options);
void check_options(const LmTrainOptions& options);

/// The initial learning rate.
double first_rate(const LmTrainOptions& options);

/// Converts the options to names and values as text, and back. `writer` is the program that wrote
/// the text. A missing name gets its default. Checks the options; throws Error on a name or value
/// that this version does not know.
std::map<std::string, std::string> as_text(const ModelOptions& options);
std::map<std::string, std::string> as_text(const LmTrainOptions& options);
/// The program that wrote a file with this metadata, "cane-lm 0.3.0".
std::string writer_of(const std::map<std::string, std::string>& metadata);
ModelOptions model_options_from(const std::map<std::string, std::string>& values,
                                const std::string& writer);
LmTrainOptions train_options_from(const std::map<std::string, std::string>& values,
                                  const std::string& writer);

}  // namespace cane::lm

namespace cane {

template <>
inline std::span<const Named<lm::UpdateRule>> named_values<lm::UpdateRule>() {
  static constexpr Named<lm::UpdateRule> kNames[] = {{lm::UpdateRule::kSgd, "sgd"},
                                                     {lm::UpdateRule::kAdagrad, "adagrad"},
                                                     {lm::UpdateRule::kAdam, "adam"}};
  return kNames;
}
template <>
inline std::span<const Named<lm::Precision>> named_values<lm::Precision>() {
  static constexpr Named<lm::Precision> kNames[] = {{lm::Precision::kFloat32, "float32"},
                                                    {lm::Precision::kBfloat16, "bfloat16"}};
  return kNames;
}

}  // namespace cane
