// Milliseconds per training step of the language model, on random text whose word frequencies
// decrease with rank. Before anything is timed, steps on the device are compared with steps on the
// CPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "cane/error.h"
#include "core/base/random.h"
#include "lm/engine/device.h"
#include "lm/engine/options.h"
#include "lm/engine/sleeping_threads.h"
#include "lm/engine/token_streams.h"
#include "lm/engine/train_step.h"

namespace cane::lm {
namespace {

struct BenchOptions {
  std::uint32_t words = 116'000;
  std::uint32_t steps = 300;
  std::string device = "auto";
  ModelOptions model;
  LmTrainOptions train;
};

std::shared_ptr<const WordVocabulary> made_up_words(std::uint32_t count) {
  std::vector<std::string> words = {std::string(WordVocabulary::kUnknown),
                                    std::string(WordVocabulary::kEndOfLine)};
  std::vector<std::uint64_t> counts;
  while (words.size() < count) words.push_back(fmt::format("w{}", words.size()));
  for (std::uint32_t rank = 0; rank < count; ++rank) counts.push_back(1 + 20'000'000 / (rank + 3));
  return std::make_shared<WordVocabulary>(words, counts);
}

/// Words whose probabilities decrease with rank, as in natural language.
std::vector<WordId> made_up_text(std::uint32_t words, std::uint64_t length) {
  const CounterRandom random(1, RandomPurpose::kNoise);
  const double last = std::log((words + 3.0) / 3.0);
  std::vector<WordId> text(length);
  for (std::uint64_t i = 0; i < length; ++i) {
    const double rank = 3.0 * std::exp(random.uniform(i, 0) * last) - 3.0;
    text[i] = std::min(static_cast<WordId>(rank), words - 1);
  }
  return text;
}

struct Bench {
  Bench(const BenchOptions& options, torch::Device device, std::uint32_t steps)
      : vocabulary(made_up_words(options.words)),
        text(made_up_text(options.words,
                          std::uint64_t{options.train.batch} * options.train.length * steps)),
        model(options.model, vocabulary, device, computing_type(options.train.precision), text),
        optimizer(make_optimizer(model, options.train)),
        streams(text, vocabulary->end_of_line(),
                StreamLayout::whole_streams(text.size(), options.train.batch), options.train.length,
                device),
        step(model, optimizer, streams.streams()) {
    model.train();
  }

  std::shared_ptr<const WordVocabulary> vocabulary;
  std::vector<WordId> text;
  LanguageModel model;
  RowOptimizer optimizer;
  TokenStreams streams;
  TrainStep step;
};

/// The mean loss of a few steps without dropout; a GPU replays the last of them.
double loss_of_some_steps(BenchOptions options, torch::Device device) {
  options.words = 5'000;
  options.train.batch = 16;
  options.train.length = 9;
  options.model.body.dropout = 0.0;
  constexpr std::uint32_t kSteps = 8;
  Bench bench(options, device, kSteps);
  for (std::int64_t i = 0; i < kSteps; ++i) bench.step.run(bench.streams.batch(i));
  return bench.step.take_loss() / static_cast<double>(bench.text.size());
}

void check(const BenchOptions& options, torch::Device device) {
  BenchOptions plain = options;
  plain.train.precision = Precision::kFloat32;
  const double expected = loss_of_some_steps(plain, torch::kCPU);
  const double loss = loss_of_some_steps(options, device);
  const double tolerance = options.train.precision == Precision::kFloat32 ? 2e-3 : 2e-2;
  if (std::abs(loss - expected) <= tolerance * expected) return;
  throw Error(fmt::format("a loss of {} where the CPU has {}: nothing is timed", loss, expected));
}

double milliseconds(const BenchOptions& options, torch::Device device) {
  constexpr std::int64_t kWarm = 20;
  Bench bench(options, device, options.steps + static_cast<std::uint32_t>(kWarm));
  const auto run = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) bench.step.run(bench.streams.batch(i));
    bench.step.take_loss();  // waits
  };
  run(0, kWarm);
  const auto begin = std::chrono::steady_clock::now();
  run(kWarm, kWarm + options.steps);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return time.count() / options.steps;
}

int run(int argc, char** argv) {
  BenchOptions options;
  CLI::App app("Milliseconds of a training step");
  app.add_option("--words", options.words, "size of the vocabulary")->capture_default_str();
  app.add_option("--batch", options.train.batch, "streams of text")->capture_default_str();
  app.add_option("--length", options.train.length, "words of each in a step")
      ->capture_default_str();
  app.add_option("--steps", options.steps, "that are timed")->capture_default_str();
  app.add_option("--head", options.model.head.name, "output layer")->capture_default_str();
  app.add_option("--noises", options.model.head.noises, "of a sampled head")->capture_default_str();
  app.add_flag("--own-noises", options.model.head.own_noises,
               "noises of each token, not of the batch");
  std::string optimizer = name_of(options.train.optimizer);
  app.add_option("--optimizer", optimizer, "sgd, adagrad, adam")->capture_default_str();
  app.add_option("--clip", options.train.clip, "longest gradient; 0: any")->capture_default_str();
  std::string precision = name_of(options.train.precision);
  app.add_option("--precision", precision, "float32, bfloat16")->capture_default_str();
  app.add_option("--device", options.device, "auto, cpu, cuda")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  options.train.optimizer = value_named<UpdateRule>("optimizer", optimizer);
  options.train.precision = value_named<Precision>("precision", precision);
  const torch::Device device =
      choose_device(options.device, 0, [](const std::string& note) { std::cerr << note << '\n'; });
  check(options, device);
  fmt::print("{:.3f}\n", milliseconds(options, device));
  return 0;
}

}  // namespace
}  // namespace cane::lm

int main(int argc, char** argv) {
  cane::lm::let_threads_sleep(argv);
  try {
    return cane::lm::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "step_bench: " << error.what() << '\n';
    return 1;
  }
}
