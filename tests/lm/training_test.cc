#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lm/engine/device.h"
#include "lm/engine/generate.h"
#include "lm/engine/model_file.h"
#include "lm/engine/trainer.h"
#include "lm/markov_text.h"
#include "lm/text/corpus.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

using cane::testing::error_text;
using cane::testing::MarkovChain;
using cane::testing::TemporaryFolder;

CorpusOptions without_cache() {
  CorpusOptions options;
  options.use_cache = false;
  return options;
}

struct SmallText {
  SmallText(std::size_t states, std::size_t words) {
    const MarkovChain chain(states, 11);
    Corpus corpus = read_corpus(folder.write("train", chain.draw(words, 0).lines), without_cache());
    vocabulary = std::make_shared<const WordVocabulary>(std::move(corpus.vocabulary));
    train = std::move(corpus.tokens);
    const MarkovChain::Text drawn = chain.draw(words / 5, 1);
    test = read_tokens(folder.write("test", drawn.lines), *vocabulary, without_cache());
    best_perplexity = drawn.perplexity;
  }

  TemporaryFolder folder;
  std::shared_ptr<const WordVocabulary> vocabulary;
  std::vector<WordId> train;
  std::vector<WordId> test;
  double best_perplexity = 0.0;
};

ModelOptions small_model() {
  ModelOptions options;
  options.body = {12, 16, 12, 1, 0.0, false};
  return options;
}

LmTrainOptions short_training() {
  LmTrainOptions options;
  options.epochs = 3;
  options.batch = 16;
  options.length = 10;
  options.lr = 0.02;
  return options;
}

bool same_tensors(const LanguageModel& a, const LanguageModel& b) {
  for (const auto& [name, tensor] : a.tensors()) {
    if (!torch::equal(tensor, b.tensors().at(name))) return false;
  }
  return true;
}

struct HeadCase {
  const char* name;
  HeadOptions options;
};

void PrintTo(const HeadCase& tried, std::ostream* stream) {
  *stream << tried.name;
}

HeadOptions head(const char* name) {
  HeadOptions options;
  options.name = name;
  options.noises = 200;
  return options;
}

HeadOptions cane_with(const char* select, bool own_noises) {
  HeadOptions options = head("cane");
  options.select = select;
  options.frequent = 3;
  options.candidates = 4;
  options.own_noises = own_noises;
  options.subsets = 3;
  options.rank = 2;
  if (own_noises) options.noises = 8;
  return options;
}

class EveryHead : public ::testing::TestWithParam<HeadCase> {};

TEST_P(EveryHead, LearnsAMarkovChainToItsEntropy) {
  const SmallText text(12, 40'000);
  ModelOptions options = small_model();
  options.head = GetParam().options;
  LanguageModel model(options, text.vocabulary, torch::kCPU, torch::kFloat32, text.train);
  LmTrainOptions training = short_training();
  training.epochs = 7;
  training.decay = 0.3;
  training.batch = 32;
  LmTrainer(model, training, text.train, text.test, text.folder.path("model"), "", {}).run();
  const auto loaded = load_model(text.folder.path("model"), torch::kCPU);
  const Perplexity result = measure_perplexity(*loaded.model, text.test);
  EXPECT_EQ(result.tokens, text.test.size());
  // The softmax itself ends 2% above the best.
  EXPECT_LT(result.exact, 1.03 * text.best_perplexity);
  EXPECT_GT(result.exact, text.best_perplexity);
}

INSTANTIATE_TEST_SUITE_P(AllHeads, EveryHead,
                         ::testing::Values(HeadCase{"softmax", head("softmax")},
                                           HeadCase{"adaptive", head("adaptive")},
                                           HeadCase{"frequent", cane_with("frequent", false)},
                                           HeadCase{"subset", cane_with("subset", true)},
                                           HeadCase{"ngram", cane_with("frequent+ngram", true)},
                                           HeadCase{"nce", head("nce")}),
                         [](const auto& tried) { return tried.param.name; });

class Training : public ::testing::Test {
 protected:
  Training() : text_(9, 3000) {
    options_.body.dropout = 0.2;
    options_.body.layers = 2;
  }

  LanguageModel fresh_model() const { return {options_, text_.vocabulary, torch::kCPU}; }

  SmallText text_;
  ModelOptions options_ = small_model();
  LmTrainOptions training_ = short_training();
};

TEST_F(Training, ResumedInTheMiddleEqualsAnUninterruptedOne) {
  LanguageModel whole = fresh_model();
  EXPECT_EQ(LmTrainer(whole, training_, text_.train, text_.test, "", "", {}).run(), LoopEnd::kDone);

  const std::string path = text_.folder.path("checkpoint");
  LanguageModel part = fresh_model();
  int batches = 0;
  TrainListener stopping;
  stopping.stop_requested = [&] { return ++batches > 25; };
  EXPECT_EQ(LmTrainer(part, training_, text_.train, text_.test, "", path, stopping).run(),
            LoopEnd::kInterrupted);
  LanguageModel resumed = fresh_model();
  LmTrainer trainer(resumed, training_, text_.train, text_.test, "", path, {});
  trainer.resume();
  EXPECT_EQ(trainer.state().loop.epoch, 1U);
  EXPECT_GT(trainer.state().batch, 0U);
  EXPECT_FALSE(same_tensors(whole, resumed));
  EXPECT_EQ(trainer.run(), LoopEnd::kDone);
  EXPECT_TRUE(same_tensors(whole, resumed));
}

TEST_F(Training, CheckpointOfOtherDataOrOptionsIsRefused) {
  const std::string path = text_.folder.path("checkpoint");
  LanguageModel model = fresh_model();
  training_.epochs = 2;
  TrainListener stopping;
  stopping.stop_requested = [] { return true; };
  LmTrainer(model, training_, text_.train, {}, "", path, stopping).run();

  const auto resume_with = [&](const LmTrainOptions& training, std::span<const WordId> train) {
    LanguageModel other = fresh_model();
    return error_text([&] { LmTrainer(other, training, train, {}, "", path, {}).resume(); });
  };
  LmTrainOptions longer = training_;
  longer.length = 11;
  EXPECT_THAT(resume_with(longer, text_.train), ::testing::HasSubstr("`length`"));
  EXPECT_THAT(resume_with(training_, text_.test), ::testing::HasSubstr("training data"));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THAT(resume_with(training_, text_.train), ::testing::HasSubstr("cut off"));
}

TEST_F(Training, SavedAndLoadedModelGivesTheSamePerplexity) {
  for (const bool tied : {false, true}) {
    options_.body.tied = tied;
    LanguageModel model = fresh_model();
    LmTrainer(model, training_, text_.train, {}, text_.folder.path("model"), "", {}).run();
    const double before = measure_perplexity(model, text_.test).exact;
    const LoadedModel loaded = load_model(text_.folder.path("model"), torch::kCPU);
    EXPECT_EQ(measure_perplexity(*loaded.model, text_.test).exact, before);
    EXPECT_EQ(loaded.notes.at("epoch"), "3");
    EXPECT_LT(before, 0.8 * static_cast<double>(text_.vocabulary->size()));
  }
}

TEST_F(Training, EndsEarlyAndLowersTheRateWhenNothingImproves) {
  LanguageModel model = fresh_model();
  training_.epochs = 20;
  training_.patience = 2;
  training_.lr = 1e-12;
  training_.optimizer = UpdateRule::kSgd;
  std::vector<LmEpochReport> reports;
  TrainListener listener;
  listener.on_epoch = [&](const LmEpochReport& report) { reports.push_back(report); };
  // Steps of no length: the first epoch stays the best.
  const LoopEnd end = LmTrainer(model, training_, text_.train, text_.test, "", "", listener).run();
  EXPECT_EQ(end, LoopEnd::kStoppedEarly);
  ASSERT_GE(reports.size(), 3U);
  EXPECT_FALSE(reports.back().best);
  EXPECT_LT(reports.back().learning_rate, 1e-12);
}

TEST_F(Training, ReportsANonFiniteLoss) {
  LanguageModel model = fresh_model();
  training_.lr = 1e30;
  training_.clip = 0.0;
  training_.optimizer = UpdateRule::kSgd;
  EXPECT_THAT(error_text([&] { LmTrainer(model, training_, text_.train, {}, "", "", {}).run(); }),
              ::testing::HasSubstr("`lr`"));
}

TEST_F(Training, RefusesATextThatIsTooShort) {
  LanguageModel model = fresh_model();
  const std::vector<WordId> few(20, 0);
  EXPECT_THAT(error_text([&] { LmTrainer(model, training_, few, {}, "", "", {}); }),
              ::testing::HasSubstr("`batch`"));
}

TEST_F(Training, ComputesInBfloat16WithFloat32Weights) {
  const torch::Device cpu = choose_device("cpu", 1, [](const std::string&) {});
  LanguageModel model(options_, text_.vocabulary, cpu, torch::kBFloat16);
  LmTrainer(model, training_, text_.train, {}, "", "", {}).run();
  for (const auto& [name, tensor] : model.tensors()) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat32) << name;
  }
  EXPECT_LT(measure_perplexity(model, text_.test).exact,
            0.9 * static_cast<double>(text_.vocabulary->size()));
}

TEST_F(Training, GeneratesTheSameTextFromTheSameSeed) {
  LanguageModel model = fresh_model();
  GenerateOptions options;
  options.words = 30;
  const auto write = [&] {
    std::vector<WordId> words;
    generate(model, {}, options, [&](WordId word) {
      words.push_back(word);
      return true;
    });
    return words;
  };
  const std::vector<WordId> first = write();
  EXPECT_EQ(first.size(), 30U);
  EXPECT_EQ(write(), first);
  EXPECT_EQ(std::count(first.begin(), first.end(), text_.vocabulary->unknown()), 0);
  options.seed = 2;
  EXPECT_NE(write(), first);
  // The best word alone: no draw left.
  options.top_k = 1;
  const std::vector<WordId> best = write();
  options.seed = 3;
  EXPECT_EQ(write(), best);
  options.temperature = 0.0;
  EXPECT_EQ(write(), best);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
