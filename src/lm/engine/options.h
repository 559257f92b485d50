// All options of a language model and of its training, with their defaults, each named once: the
// command line, the model file and the checkpoint walk over the same list.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lm/body/body_options.h"
#include "lm/heads/head_options.h"

namespace cane::lm {

/// What the model is; kept in its file.
struct ModelOptions {
  BodyOptions body;
  HeadOptions head;
  std::uint64_t seed = 1;
};

/// How it is trained; kept in the checkpoint with the others.
struct LmTrainOptions {
  std::uint32_t epochs = 12;
  std::uint32_t batch = 64;
  std::uint32_t length = 20;
  std::string optimizer = "adam";
  double rate = 0.0;  // 0: by the optimiser
  double clip = 1.0;  // 0: none
  double decay = 0.5;
  std::uint32_t patience = 3;
  std::string precision = "float32";
};

/// Calls visit(name, value, help) for each option.
template <typename Options, typename Visit>
void visit_model_options(Options& options, const Visit& visit) {
  visit("head", options.head.name, "output layer");
  visit("select", options.head.select,
        "candidates of cane: frequent, batch, and one of subset, low-rank, ngram, joined by +");
  visit("frequent", options.head.frequent,
        "words that are candidates of all tokens; 0: a fifth of all, at most 2000");
  visit("candidates", options.head.candidates, "of each token, by subset, low-rank or ngram");
  visit("noises", options.head.noises, "draws of a batch");
  visit("own-noises", options.head.own_noises, "noises are drawn for each token, not for a batch");
  visit("noise", options.head.noise,
        "law of the noises: uniform, unigram, ngram; auto: unigram, for css uniform");
  visit("noise-power", options.head.noise_power, "power of the counts for unigram");
  visit("subsets", options.head.subsets, "of words, for --select subset");
  visit("rank", options.head.rank, "of the scorer of --select low-rank");
  visit("embedding", options.body.embedding, "width of the embedding");
  visit("hidden", options.body.hidden, "cells of an LSTM layer");
  visit("projection", options.body.projection, "width of its output; 0: not projected");
  visit("layers", options.body.layers, "LSTM layers");
  visit("dropout", options.body.dropout, "share of values left out in training");
  visit("tied", options.body.tied, "embedding and output layer share their rows");
  visit("seed", options.seed, "of weights, dropout and draws");
}

template <typename Options, typename Visit>
void visit_train_options(Options& options, const Visit& visit) {
  visit("epochs", options.epochs, "passes over the text, at most");
  visit("batch", options.batch, "parallel streams of text");
  visit("length", options.length, "words of each in a step");
  visit("optimizer", options.optimizer, "sgd, adagrad or adam");
  visit("lr", options.rate, "rate; 0: 1 for sgd, 0.1 for adagrad, 0.001 for adam");
  visit("clip", options.clip, "longest gradient; 0: any");
  visit("decay", options.decay, "factor of the rate after an epoch that did not help");
  visit("patience", options.patience, "epochs without a better one before it ends; 0: all");
  visit("precision", options.precision, "float32 or bfloat16 products");
}

/// Each throws Error, naming the option, on values that cannot be.
void check_options(const ModelOptions& options);
void check_options(const LmTrainOptions& options);

/// The rate to begin with.
double first_rate(const LmTrainOptions& options);

/// Name and value of each option as text, and back. The latter throws Error on a name that lacks or
/// a value that does not fit, and checks the options.
std::map<std::string, std::string> as_text(const ModelOptions& options);
std::map<std::string, std::string> as_text(const LmTrainOptions& options);
ModelOptions model_options_from(const std::map<std::string, std::string>& values);
LmTrainOptions train_options_from(const std::map<std::string, std::string>& values);

}  // namespace cane::lm
